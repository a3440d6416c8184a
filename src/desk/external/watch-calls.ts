import type { AuditEntry } from '../../domain/audit/audit.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Audit } from '../../domain/ports/store.ts';

/** Tells of what happens to calls, in whatever process it is written. */
export interface CallWatch {
  /** Once it has resolved, the listener is called after each change of the call, until it is released; reading the call afterwards misses none. */
  watch(callId: string, listener: () => void): Promise<Cancel>;
  /** Looks at once: something was written here. */
  nudge(): void;
  stop(): void;
}

/** What another process has written is told after this at the latest. */
const LOOK_MS = 250;
const PAGE = 500;

/** Creates the watch over the audit, which has an entry for every change of a call: its cost does not depend on how many wait. */
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
  /** All up to this entry has been told; undefined while nobody listens. */
  let told: number | undefined;
  /** Of that entry, once it was read: a store that lost its newest ones in a crash gives their numbers to others. */
  let mark: string | undefined;
  let isLooking = false;
  let isNudged = false;
  let cancel: Cancel = () => {};

  function notifyWatchers({ event, subject }: AuditEntry): void {
    if (!event.startsWith('call.')) return;
    for (const listener of [...(listeners.get(subject) ?? [])]) listener();
  }

  async function readNewEntries(): Promise<void> {
    const last = told;
    if (last === undefined) return;
    // The first is the one that was told last, if it is still there.
    const entries = await audit.read(Math.max(last, 1), PAGE);
    if (isOther(last, entries[0])) await startOver();
    else follow(last, entries);
    if (listeners.size === 0) told = undefined;
    isNudged ||= entries.length === PAGE;
  }

  function follow(last: number, entries: readonly AuditEntry[]): void {
    for (const entry of entries) if (entry.seq > last) notifyWatchers(entry);
    const newest = entries.at(-1);
    told = newest?.seq ?? last;
    mark = newest?.mark;
  }

  /** Nobody can tell what has happened meanwhile: all look for themselves. */
  async function startOver(): Promise<void> {
    told = await audit.newest();
    mark = undefined;
    for (const own of [...listeners.values()]) for (const listener of [...own]) listener();
  }

  /** Whether the entry that was told last is there no more. */
  function isOther(last: number, found: AuditEntry | undefined): boolean {
    if (last === 0) return false;
    return found?.seq !== last || (mark !== undefined && found.mark !== mark);
  }

  /** One look at a time; what is written meanwhile is looked for by the next. */
  function lookNow(): void {
    isNudged = isLooking;
    if (isLooking || listeners.size === 0) return;
    cancel();
    isLooking = true;
    readNewEntries()
      .catch((error: unknown) => log.warn({ err: error }, 'What happened to calls was not read.'))
      .finally(() => {
        isLooking = false;
        if (isNudged) lookNow();
        else if (listeners.size > 0) cancel = clock.schedule(clock.now() + LOOK_MS, lookNow);
      });
  }

  function release(callId: string, listener: () => void): void {
    const own = listeners.get(callId);
    own?.delete(listener);
    if (own?.size === 0) listeners.delete(callId);
    if (listeners.size > 0) return;
    cancel();
    told = undefined;
    mark = undefined;
  }

  return {
    async watch(callId, listener) {
      const own = listeners.get(callId) ?? new Set();
      listeners.set(callId, own.add(listener));
      try {
        const newest = told ?? (await audit.newest());
        told ??= newest;
      } catch (error) {
        release(callId, listener);
        throw error;
      }
      if (!isLooking) lookNow();
      return () => release(callId, listener);
    },
    nudge: lookNow,
    stop() {
      listeners.clear();
      cancel();
    },
  };
}
