import { fdatasync, fdatasyncSync } from 'node:fs';
import { StoreUnavailableError } from '../../domain/ports/store.ts';

/** Takes what SQLite has written to its log to the disk; all that wait at a time share one sync. After one failure all of it rejects for ever: a later success would prove nothing. */
export interface GroupCommit {
  /** Resolves when what is in the log now is on the disk; `written` names what it was promised of. */
  synced(written?: Iterable<string>): Promise<void>;
  /** Resolves when every promise of these names is on the disk; undefined where it is already. */
  syncOf(names: readonly string[]): Promise<void> | undefined;
}

/** What is taken to the disk together. */
interface Batch {
  /** How many wait for it whose commits it holds. */
  commits: number;
  /** What these commits have written. */
  readonly written: Set<string>;
  readonly synced: Promise<void>;
  end(failure: Error | undefined): void;
}

/** A sync that takes longer must not hold up the event loop. */
const SLOW_SYNC_MS = 1;

/** Creates the syncs of one file of a log, which stays open. */
export function createGroupCommit(log: number, file: string): GroupCommit {
  /** The batch whose sync has not begun. */
  let next: Batch | undefined;
  let underWay: Batch | undefined;
  let lastMs = 0;
  let failure: StoreUnavailableError | undefined;

  function finish(batch: Batch, startedAt: number, error: unknown): void {
    lastMs = performance.now() - startedAt;
    if (error) {
      const why = error instanceof Error ? error.message : String(error);
      failure = new StoreUnavailableError(
        `${file} could not be taken to the disk (${why}): whether the last changes are stored is not known. Check the disk, then restart the app.`,
        'unknown',
        { cause: error },
      );
    }
    underWay = undefined;
    batch.end(failure);
    if (next) start(next);
  }

  /** A moment later, so that all that is committed in this turn of the event loop goes along. */
  function start(batch: Batch): void {
    setImmediate(() => {
      next = undefined;
      underWay = batch;
      const startedAt = performance.now();
      // The way through the thread pool takes longer than one sync of a fast disk.
      if (batch.commits > 1 || lastMs > SLOW_SYNC_MS) {
        fdatasync(log, (error) => finish(batch, startedAt, error));
        return;
      }
      finish(batch, startedAt, trySync(log));
    });
  }

  function begin(): Batch {
    next = createBatch();
    if (!underWay) start(next);
    return next;
  }

  return {
    synced(written = []) {
      if (failure) return Promise.reject(failure);
      const batch = next ?? begin();
      batch.commits += 1;
      for (const name of written) batch.written.add(name);
      return batch.synced;
    },
    syncOf(names) {
      if (failure) return Promise.reject(failure);
      const holds = (batch: Batch | undefined) => names.some((name) => batch?.written.has(name));
      return [next, underWay].find(holds)?.synced;
    },
  };
}

function createBatch(): Batch {
  let end: Batch['end'] = () => {};
  const synced = new Promise<void>((resolve, reject) => {
    end = (failure) => (failure ? reject(failure) : resolve());
  });
  return { commits: 0, written: new Set(), synced, end };
}

function trySync(log: number): unknown {
  try {
    fdatasyncSync(log);
    return undefined;
  } catch (error) {
    return error;
  }
}
