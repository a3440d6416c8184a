import type { Database } from 'better-sqlite3';
import { explainFailure } from './sqlite-failure.ts';

/** Runs one port's method as one transaction. */
export interface Transact {
  /** Commits what the work wrote, or nothing when it throws. */
  write<T>(work: () => T): T;
  read<T>(work: () => T): T;
  /** To be called within a write that put something on the agenda; its listener hears of it after the commit. */
  noteWake(): void;
}

/** Creates the transactions of one connection; `onWake` is called after a commit, never during one. */
export function createTransact(
  db: Database,
  file: string,
  onWake: (() => void) | undefined,
): Transact {
  let woken = false;
  const run = db.transaction((work: () => unknown) => work());

  return {
    write<T>(work: () => T): T {
      woken = false;
      let result: T;
      try {
        result = run.immediate(work) as T;
      } catch (error) {
        throw explainFailure(error, file);
      }
      // Apart from the writer: what the listener does or throws is not the writer's business.
      if (woken && onWake) queueMicrotask(onWake);
      return result;
    },
    read<T>(work: () => T): T {
      try {
        return run.deferred(work) as T;
      } catch (error) {
        throw explainFailure(error, file);
      }
    },
    noteWake() {
      woken = true;
    },
  };
}
