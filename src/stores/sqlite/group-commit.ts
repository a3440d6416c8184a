import { fdatasync, fdatasyncSync } from 'node:fs';
import { StoreUnavailableError } from '../../domain/ports/store.ts';

/** Syncs SQLite's log to disk; concurrent waiters share one sync. After one failure everything rejects, since a later success would prove nothing. */
export interface GroupCommit {
  /** Resolves once the current log is on disk; `written` names what the caller's commit wrote. */
  synced(written?: Iterable<string>): Promise<void>;
  /** Resolves once all pending commits that wrote these names are on disk; undefined if they already are. */
  syncOf(names: readonly string[]): Promise<void> | undefined;
}

/** Commits that are synced together. */
interface Batch {
  /** Number of commits that wait for it. */
  commits: number;
  /** Names that these commits wrote. */
  readonly written: Set<string>;
  readonly synced: Promise<void>;
  end(failure: Error | undefined): void;
}

/** A slower sync must not block the event loop. */
const SLOW_SYNC_MS = 1;

/** Creates the syncs of a log file, which must stay open. */
export function createGroupCommit(log: number, file: string): GroupCommit {
  /** The batch whose sync has not started. */
  let next: Batch | undefined;
  let underWay: Batch | undefined;
  let lastMs = 0;
  let failure: StoreUnavailableError | undefined;

  function finish(batch: Batch, startedAt: number, error: unknown): void {
    lastMs = performance.now() - startedAt;
    if (error) {
      const why = error instanceof Error ? error.message : String(error);
      failure = new StoreUnavailableError(
        `${file} could not be synced to disk (${why}): it is unknown whether the last changes are stored. Check the disk, then restart the app.`,
        'unknown',
        { cause: error },
      );
    }
    underWay = undefined;
    batch.end(failure);
    if (next) start(next);
  }

  /** In the next turn of the event loop, so that all commits of this one share the sync. */
  function start(batch: Batch): void {
    setImmediate(() => {
      next = undefined;
      underWay = batch;
      const startedAt = performance.now();
      // The thread pool adds more latency than one sync of a fast disk takes.
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
