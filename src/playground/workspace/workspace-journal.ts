import type { Clock } from '../../domain/ports/clock.ts';
import type { JournalEntry } from './workspace-port.ts';

/** The result of a journal entry. */
export type JournalResult = Pick<JournalEntry, 'answer' | 'ok' | 'problem'>;

/** The journal of the traffic between Slack and the app, and its change listeners. */
export interface WorkspaceJournal {
  readonly entries: readonly JournalEntry[];
  /** Adds an entry without an answer. The returned function completes it. */
  open(kind: JournalEntry['kind'], name: string, request: unknown): (result: JournalResult) => void;
  /** Adds a complete entry. */
  note(kind: JournalEntry['kind'], name: string, request: unknown, result: JournalResult): void;
  /** Notifies the listeners that something visible has changed. */
  changed(): void;
  onChange(listener: () => void): () => void;
  waitFor<T>(
    find: () => T | undefined,
    options?: { timeoutMs?: number; describe?: () => string },
  ): Promise<T>;
  /** Rejects all pending waits. */
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
    find: () => T | undefined,
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
      const check = (): void => {
        try {
          const found = find();
          if (found !== undefined) {
            finish(() => resolve(found));
          }
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const fail = (why: string): void =>
        finish(() => reject(new Error(`${why}${describe === undefined ? '' : `: ${describe()}`}`)));
      const closer = (): void => fail('The workspace stopped during a wait');
      // Uses real time: a wait must time out, regardless of the test's clock.
      const timer = setTimeout(() => fail(`Nothing within ${timeoutMs} ms`), timeoutMs);
      const unlisten = onChange(check);
      closers.add(closer);
      check();
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
