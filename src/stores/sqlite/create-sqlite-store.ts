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
  /** The folder of `countersign.db`; made when missing, and this process's alone while the store is open. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** (Default: nobody hears of it.) */
  readonly log?: Log;
  /** Called after every commit that asked for work. */
  readonly onWake?: () => void;
  /** Hears of a record that was left out of a list since it is damaged. */
  readonly onDamaged?: OnDamaged;
}

/** All ports on one SQLite file, with the saver of graphs that others made. */
export type SqliteStore = Store &
  Pick<CreatedStore, 'belongTo'> & {
    /** Keeps checkpoints of graphs that others made. */
    readonly saver: FencedSqliteSaver;
    readonly installationKey: InstallationKey;
    /** Closing twice is harmless. */
    close(): Promise<void>;
  };

/**
 * Opens the store; throws, saying what to do, when the folder can't be used or another process has
 * it. Work that an earlier process had under way is due again at once.
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
