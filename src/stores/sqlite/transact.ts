import type { Database } from 'better-sqlite3';
import { explainFailure } from './sqlite-failure.ts';

/** Runs one port's method as one transaction. */
export interface Transact {
  /** Commits what the work wrote, or nothing when it throws; once it has returned, a loss of power does not undo it. */
  write<T>(work: () => T): T;
  /**
   * Commits without waiting for the disk, for what nobody was promised and the next look finds out
   * again: leases, checkpoints of a turn, where a card lies. A loss of power may undo it, together
   * with whatever was committed so after it; the next `write` takes it to the disk before its own
   * (https://www.sqlite.org/pragma.html#pragma_synchronous).
   */
  writeBehind<T>(work: () => T): T;
  read<T>(work: () => T): T;
  /** To be called within a write that put something on the agenda; its listener hears of it after the commit. */
  noteWake(): void;
}

/** How SQLite names the level at which a commit waits for the disk. */
const FULL = 2;

/** Creates the transactions of one connection; `onWake` is called after a commit, never during one. */
export function createTransact(
  db: Database,
  file: string,
  onWake: (() => void) | undefined,
): Transact {
  let woken = false;
  const run = db.transaction((work: () => unknown) => work());

  function write<T>(work: () => T): T {
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
  }

  return {
    write,
    writeBehind<T>(work: () => T): T {
      const level = db.pragma('synchronous', { simple: true });
      if (level !== FULL) return write(work);
      db.pragma('synchronous = NORMAL');
      try {
        return write(work);
      } finally {
        db.pragma('synchronous = FULL');
      }
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
