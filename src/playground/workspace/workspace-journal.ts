import type { Clock } from '../../domain/ports/clock.ts';
import type { JournalEntry } from './workspace-port.ts';

/** How a journal entry ends. */
export type JournalResult = Pick<JournalEntry, 'answer' | 'ok' | 'problem'>;

/** The record of what passed between Slack and the app, and the bell that rings at each change. */
export interface WorkspaceJournal {
  readonly entries: readonly JournalEntry[];
  /** Writes an entry that waits for its answer; the returned function completes it once. */
  open(kind: JournalEntry['kind'], name: string, request: unknown): (result: JournalResult) => void;
  /** Writes a complete entry. */
  note(kind: JournalEntry['kind'], name: string, request: unknown, result: JournalResult): void;
  /** Tells the listeners that something a person could see has changed. */
  changed(): void;
  onChange(listener: () => void): () => void;
  waitFor<T>(
    look: () => T | undefined,
    options?: { timeoutMs?: number; describe?: () => string },
  ): Promise<T>;
  /** Rejects who still waits. */
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Creates an empty journal. */
export function createWorkspaceJournal(clock: Clock): WorkspaceJournal {
  const entries: JournalEntry[] = [];
  const listeners = new Set<() => void>();
  const closers = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) {
      listener();
    }
  };
  const onChange = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  function open(kind: JournalEntry['kind'], name: string, request: unknown) {
    const index = entries.length;
    const entry: JournalEntry = { seq: index + 1, at: clock.now(), kind, name, request };
    entries.push(entry);
    changed();
    return (result: JournalResult): void => {
      entries[index] = { ...entry, ...result };
      changed();
    };
  }

  function waitFor<T>(
    look: () => T | undefined,
    {
      timeoutMs = DEFAULT_TIMEOUT_MS,
      describe,
    }: { timeoutMs?: number; describe?: () => string } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        unlisten();
        closers.delete(closer);
        settle();
      };
      const ask = (): void => {
        try {
          const found = look();
          if (found !== undefined) {
            finish(() => resolve(found));
          }
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const fail = (why: string): void =>
        finish(() => reject(new Error(`${why}${describe === undefined ? '' : `: ${describe()}`}`)));
      const closer = (): void => fail('The workspace stopped while something was awaited');
      // Real time on purpose: a wait that never ends must end the test, whatever its clock says.
      const timer = setTimeout(() => fail(`Nothing within ${timeoutMs} ms`), timeoutMs);
      const unlisten = onChange(ask);
      closers.add(closer);
      ask();
    });
  }

  return {
    entries,
    open,
    note: (kind, name, request, result) => open(kind, name, request)(result),
    changed,
    onChange,
    waitFor,
    close: () => {
      for (const closer of [...closers]) {
        closer();
      }
    },
  };
}
