import { fdatasync, fdatasyncSync } from 'node:fs';
import { StoreUnavailableError } from '../../domain/store.ts';

/** Takes what SQLite has written to its log to the disk; all that wait at a time share one sync. */
export interface GroupCommit {
  /** Resolves when what is in the log now is on the disk. After one failure it rejects for ever: a later success would prove nothing. */
  synced(): Promise<void>;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A sync that takes longer must not hold up the event loop. */
const SLOW_SYNC_MS = 1;

/** Creates the syncs of one file of a log, which stays open. */
export function createGroupCommit(log: number, file: string): GroupCommit {
  let waiting: Waiter[] = [];
  let isSyncing = false;
  let lastMs = 0;
  let failure: StoreUnavailableError | undefined;

  function finish(served: readonly Waiter[], startedAt: number, error: unknown): void {
    lastMs = performance.now() - startedAt;
    if (error) {
      const why = error instanceof Error ? error.message : String(error);
      failure = new StoreUnavailableError(
        `${file} could not be taken to the disk (${why}): whether the last changes are stored is not known. Check the disk, then restart the app.`,
        'unknown',
        { cause: error },
      );
    }
    for (const { reject, resolve } of served) failure ? reject(failure) : resolve();
    isSyncing = waiting.length > 0;
    if (isSyncing) start();
  }

  /** A moment later, so that all that is committed in this turn of the event loop goes along. */
  function start(): void {
    isSyncing = true;
    setImmediate(() => {
      const served = waiting;
      waiting = [];
      const startedAt = performance.now();
      // The way through the thread pool takes longer than one sync of a fast disk.
      if (served.length > 1 || lastMs > SLOW_SYNC_MS) {
        fdatasync(log, (error) => finish(served, startedAt, error));
        return;
      }
      finish(served, startedAt, trySync(log));
    });
  }

  return {
    synced() {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (!isSyncing) start();
      });
    },
  };
}

function trySync(log: number): unknown {
  try {
    fdatasyncSync(log);
    return undefined;
  } catch (error) {
    return error;
  }
}
