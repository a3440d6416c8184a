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

/** Builds the upkeep of the history: what is kept of threads that are untouched since a time is removed, a note of it in the audit. Resolves with whether there may be more. */
export function createHistoryRetention({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  /** False where something of it is open, or it can't be removed: then the others are. */
  async function remove(found: UntouchedThread): Promise<boolean> {
    const { calls, thread, touchedAt, turns } = found;
    const facts = { turns, calls, untouchedSince: touchedAt };
    const note = noteOf(thread, facts, clock.now());
    try {
      return await store.history.remove(found, { audit: [note] });
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof StaleFenceError) throw error;
      log.error({ err: error, thread }, 'What is kept of a thread could not be removed.');
      return false;
    }
  }

  /** The calls of programs, whose channels are never untouched for long: a note for each channel. */
  async function tidyChannels(before: number, work: HeldWork): Promise<boolean> {
    for (let removed = 0; removed < MAX_REMOVED; ) {
      work.signal.throwIfAborted();
      await work.assertHeld();
      const page = await store.history.endedChannelCalls(before, CALLS_PAGE);
      for (const [thread, calls] of byThread(page)) {
        const untouchedSince = Math.max(...calls.map(({ updatedAt }) => updatedAt));
        const facts = { turns: 0, calls: calls.length, untouchedSince };
        const note = noteOf(thread, facts, clock.now());
        if (!(await store.history.removeCalls(calls, { audit: [note] }))) return true;
      }
      if (page.length < CALLS_PAGE) return false;
      removed += page.length;
    }
    return true;
  }

  async function tidyThreads(before: number, work: HeldWork): Promise<boolean> {
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

  return async function tidyHistory(before: number, work: HeldWork): Promise<boolean> {
    const areMoreCalls = await tidyChannels(before, work);
    return (await tidyThreads(before, work)) || areMoreCalls;
  };
}

/** Says that what was kept of a thread, or so many calls of a channel itself, was removed, since nothing had happened to it after `untouchedSince` (ms). */
function noteOf(
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
