import type { AuditEntry } from '../../domain/audit/audit.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Audit } from '../../domain/ports/store.ts';

/** Notifies about changes of calls, whichever process wrote them. */
export interface CallWatch {
  /**
   * Once this resolves, the listener is called after each change of the call until released. Read
   * the call afterwards to miss none.
   */
  watch(callId: string, listener: () => void): Promise<Cancel>;
  /** Checks at once, because something was written in this process. */
  nudge(): void;
  stop(): void;
}

/** Maximum delay for changes by other processes. */
const INTERVAL_MS = 250;
const PAGE = 500;

/**
 * Creates the watch. It reads the audit, which has an entry for every change, so its cost does not
 * depend on the number of open calls.
 */
export function createCallWatch({
  audit,
  clock,
  log,
}: {
  readonly audit: Pick<Audit, 'read' | 'newest'>;
  readonly clock: Clock;
  readonly log: Log;
}): CallWatch {
  const listeners = new Map<string, Set<() => void>>();
  /** Sequence number of the last entry reported; undefined while nobody listens. */
  let lastSeq: number | undefined;
  /**
   * That entry's mark, once read. After a crash, a store may reuse the numbers of entries that it
   * lost.
   */
  let lastMark: string | undefined;
  let isChecking = false;
  let isNudged = false;
  let cancel: Cancel = () => {};

  function notifyWatchers({ event, subject }: AuditEntry): void {
    if (!event.startsWith('call.')) return;
    for (const listener of [...(listeners.get(subject) ?? [])]) listener();
  }

  async function readNewEntries(): Promise<void> {
    const last = lastSeq;
    if (last === undefined) return;
    // The first entry is the last reported one, if it still exists.
    const entries = await audit.read(Math.max(last, 1), PAGE);
    if (isLost(last, lastMark, entries[0])) await startOver();
    else report(last, entries);
    if (listeners.size === 0) lastSeq = undefined;
    isNudged ||= entries.length === PAGE;
  }

  function report(last: number, entries: readonly AuditEntry[]): void {
    for (const entry of entries) if (entry.seq > last) notifyWatchers(entry);
    const newest = entries.at(-1);
    lastSeq = newest?.seq ?? last;
    lastMark = newest?.mark;
  }

  /** Changes may have been missed, so all listeners check for themselves. */
  async function startOver(): Promise<void> {
    lastSeq = await audit.newest();
    lastMark = undefined;
    for (const own of [...listeners.values()]) for (const listener of [...own]) listener();
  }

  /** One check at a time; writes during a check are found by the next. */
  function checkNow(): void {
    isNudged = isChecking;
    if (isChecking || listeners.size === 0) return;
    cancel();
    isChecking = true;
    readNewEntries()
      .catch((error: unknown) => log.warn({ err: error }, 'Could not read the changes of calls.'))
      .finally(() => {
        isChecking = false;
        if (isNudged) checkNow();
        else if (listeners.size > 0) cancel = clock.schedule(clock.now() + INTERVAL_MS, checkNow);
      });
  }

  function release(callId: string, listener: () => void): void {
    const own = listeners.get(callId);
    own?.delete(listener);
    if (own?.size === 0) listeners.delete(callId);
    if (listeners.size > 0) return;
    cancel();
    lastSeq = undefined;
    lastMark = undefined;
  }

  return {
    async watch(callId, listener) {
      const own = listeners.get(callId) ?? new Set();
      listeners.set(callId, own.add(listener));
      try {
        const newest = lastSeq ?? (await audit.newest());
        lastSeq ??= newest;
      } catch (error) {
        release(callId, listener);
        throw error;
      }
      if (!isChecking) checkNow();
      return () => release(callId, listener);
    },
    nudge: checkNow,
    stop() {
      listeners.clear();
      cancel();
    },
  };
}

/** True if the last reported entry no longer exists. */
function isLost(last: number, mark: string | undefined, found: AuditEntry | undefined): boolean {
  if (last === 0) return false;
  return found?.seq !== last || (mark !== undefined && found.mark !== mark);
}
