import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { InstallationKey } from '../../domain/secrets/secret-mark.ts';
import { createStrictSerializer } from '../checkpoints/strict-serializer.ts';
import { type CreatedStore, createStore } from '../create-store.ts';
import { createFileKey } from '../files/key-file.ts';
import { mayHaveBeenDone } from '../repositories/documents/agenda-key.ts';
import { SILENT_LOG } from '../silent-log.ts';
import { FencedSqliteSaver } from './fenced-sqlite-saver.ts';
import { openDatabase, sqliteLocation } from './open-database.ts';
import { openSqliteRecords } from './sqlite-records.ts';

export interface SqliteStoreOptions {
  /** Folder of `countersign.db`; created if missing, and locked by this process while the store is open. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** (Default: no log.) */
  readonly log?: Log;
  /** Called after every commit that scheduled work. */
  readonly onWake?: () => void;
  /** Called for each damaged record that a list leaves out. */
  readonly onDamaged?: OnDamaged;
}

/** All storage ports on one SQLite file, with the saver for third-party graphs. */
export type SqliteStore = Store &
  Pick<CreatedStore, 'belongTo'> & {
    /** Stores checkpoints of third-party graphs. */
    readonly saver: FencedSqliteSaver;
    readonly installationKey: InstallationKey;
    /** Idempotent. */
    close(): Promise<void>;
  };

/**
 * Opens the store. Throws, saying what to do, if the folder can't be used or another process has it.
 * Unfinished work of an earlier process is due again at once.
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { clock, dataDir, log = SILENT_LOG, onDamaged = () => {}, onWake } = options;
  const { close, db, file, group } = openDatabase(dataDir);
  try {
    const records = openSqliteRecords({ db, file, group, mayBeDone: mayHaveBeenDone }, clock.now());
    const installationKey = createFileKey(dataDir);
    const place = sqliteLocation(dataDir);
    const made = createStore({ records, place, installationKey, clock, log, onDamaged });
    const { listen, requestLease: _, tryWrite: check, ...ports } = made;
    if (onWake) void listen(onWake);
    let closing: Promise<void> | undefined;
    const deps = { db, file, isHeld: records.isHeld };
    return {
      ...ports,
      installationKey,
      saver: new FencedSqliteSaver(deps, createStrictSerializer()),
      check,
      close() {
        closing ??= ports.close().finally(close);
        return closing;
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
