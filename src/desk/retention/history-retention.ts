import type { AuditDraft } from '../../domain/audit/audit.ts';
import type { Call } from '../../domain/calls/call.ts';
import {
  StaleFenceError,
  StoreUnavailableError,
  type UntouchedThread,
} from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';

const PAGE = 20;
const CALLS_PAGE = 100;
const MAX_REMOVED = 1_000;

/**
 * Builds the retention of the history: removes threads unchanged since `before` and audits it. True
 * if there may be more.
 */
export function createHistoryRetention({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  /** False if part of the thread is open, or if removing it fails. */
  async function remove(found: UntouchedThread): Promise<boolean> {
    const { calls, thread, touchedAt, turns } = found;
    const facts = { turns, calls, untouchedSince: touchedAt };
    const auditEntry = removalEntry(thread, facts, clock.now());
    try {
      return await store.history.remove(found, { audit: [auditEntry] });
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof StaleFenceError) throw error;
      log.error({ err: error, thread }, 'Could not remove a thread’s history.');
      return false;
    }
  }

  /**
   * Removes calls of programs one by one, because their channels rarely become inactive. One audit
   * entry per channel.
   */
  async function removeChannelCalls(before: number, work: HeldWork): Promise<boolean> {
    for (let removed = 0; removed < MAX_REMOVED; ) {
      work.signal.throwIfAborted();
      await work.assertHeld();
      const page = await store.history.endedChannelCalls(before, CALLS_PAGE);
      for (const [thread, calls] of byThread(page)) {
        const untouchedSince = Math.max(...calls.map(({ updatedAt }) => updatedAt));
        const facts = { turns: 0, calls: calls.length, untouchedSince };
        const auditEntry = removalEntry(thread, facts, clock.now());
        if (!(await store.history.removeCalls(calls, { audit: [auditEntry] }))) return true;
      }
      if (page.length < CALLS_PAGE) return false;
      removed += page.length;
    }
    return true;
  }

  async function removeThreads(before: number, work: HeldWork): Promise<boolean> {
    let skip = 0;
    for (let removed = 0; removed < MAX_REMOVED; ) {
      work.signal.throwIfAborted();
      await work.assertHeld();
      const page = await store.history.inactiveThreads(before, { skip, limit: PAGE });
      for (const found of page) {
        if (await remove(found)) removed += 1;
        else skip += 1;
      }
      if (page.length < PAGE) return false;
    }
    return true;
  }

  return async function retainHistory(before: number, work: HeldWork): Promise<boolean> {
    const areMoreCalls = await removeChannelCalls(before, work);
    return (await removeThreads(before, work)) || areMoreCalls;
  };
}

/**
 * The audit entry for a removed thread, or for removed calls of a channel. `untouchedSince` is the
 * last change (ms since 1970).
 */
function removalEntry(
  thread: ThreadKey,
  facts: { readonly turns: number; readonly calls: number; readonly untouchedSince: number },
  at: number,
): AuditDraft {
  return { at, event: 'history.remove', subject: thread, actor: 'countersign', detail: facts };
}

function byThread(calls: readonly Call[]): ReadonlyMap<ThreadKey, readonly Call[]> {
  const threads = new Map<ThreadKey, Call[]>();
  for (const call of calls) threads.set(call.thread, [...(threads.get(call.thread) ?? []), call]);
  return threads;
}
