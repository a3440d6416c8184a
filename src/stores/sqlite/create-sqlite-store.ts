import type { Clock } from '../../domain/clock.ts';
import type { OnDamaged } from '../../domain/damage.ts';
import type { Store } from '../../domain/store.ts';
import { createPlainSerializer, createStrictSerializer } from '../strict-serializer.ts';
import { FencedSqliteSaver } from './fenced-sqlite-saver.ts';
import { createInboxRows } from './inbox-rows.ts';
import { openDatabase } from './open-database.ts';
import { createAgendaRows, createSqliteAgenda } from './sqlite-agenda.ts';
import { createAuditRows, createSqliteAudit } from './sqlite-audit.ts';
import { createSqliteBulletins } from './sqlite-bulletins.ts';
import { createSqliteDrafts } from './sqlite-drafts.ts';
import { createSqliteHistory } from './sqlite-history.ts';
import { createSqliteInbox } from './sqlite-inbox.ts';
import { createSqliteKeys } from './sqlite-keys.ts';
import { createSqliteLedger } from './sqlite-ledger.ts';
import { createOutboxRows, createSqliteOutbox } from './sqlite-outbox.ts';
import { createSqlitePause } from './sqlite-pause.ts';
import { createSqlitePins } from './sqlite-pins.ts';
import { createRecordRows, createSqliteRecords } from './sqlite-records.ts';
import { createSqliteReports } from './sqlite-reports.ts';
import { createSqliteRoutes } from './sqlite-routes.ts';
import { createTransact } from './transact.ts';
import { createWriteEffects } from './write-effects.ts';

export interface SqliteStoreOptions {
  /** The folder of `countersign.db`; made when missing, and this process's alone while the store is open. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** Called after every commit that put something on the agenda. */
  readonly onWake?: () => void;
  /** Hears of a record that was left out of a list since it is damaged. */
  readonly onDamaged?: OnDamaged;
}

/** All ports on one SQLite file, with the savers of checkpoints. */
export type SqliteStore = Store & {
  /** Of our own graph. */
  readonly saver: FencedSqliteSaver;
  /** Of graphs that others made. */
  readonly graphSaver: FencedSqliteSaver;
};

/**
 * Opens the store; throws, saying what to do, when the folder can't be used or another process has
 * it. All ports share one connection, so that a change and its effects are one transaction. Work
 * that an earlier process had under way is due again at once.
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { clock, dataDir, onDamaged = () => {}, onWake } = options;
  const { close, db, file } = openDatabase(dataDir);
  try {
    const transact = createTransact(db, file, onWake);
    const agenda = createAgendaRows(db, transact);
    const audit = createAuditRows(db);
    const inbox = createInboxRows(db);
    const outbox = createOutboxRows(db);
    const records = createRecordRows(db);
    const writeEffects = createWriteEffects({ agenda, audit, inbox, outbox, records });
    const setCheckedAt = db.prepare<[at: number]>(
      `UPDATE counters SET value = ? WHERE name = 'checked-at'`,
    );
    transact.write(() => agenda.releaseAll(clock.now()));

    return {
      ledger: createSqliteLedger(db, transact, agenda, writeEffects, onDamaged),
      inbox: createSqliteInbox(db, transact, agenda, writeEffects, onDamaged),
      records: createSqliteRecords(db, transact, records, agenda),
      history: createSqliteHistory(db, transact, agenda, writeEffects, onDamaged),
      outbox: createSqliteOutbox(db, transact, outbox, agenda, onDamaged),
      agenda: createSqliteAgenda(db, transact, agenda),
      audit: createSqliteAudit(db, transact, audit),
      pause: createSqlitePause(db, transact, writeEffects),
      routes: createSqliteRoutes(db, transact, writeEffects),
      pins: createSqlitePins(db, transact, writeEffects),
      drafts: createSqliteDrafts(db, transact, clock),
      keys: createSqliteKeys(db, transact, writeEffects),
      bulletins: createSqliteBulletins(db, transact),
      reports: createSqliteReports(db, transact, writeEffects),
      saver: new FencedSqliteSaver(db, transact, agenda, createPlainSerializer()),
      graphSaver: new FencedSqliteSaver(db, transact, agenda, createStrictSerializer()),
      async check() {
        transact.write(() => setCheckedAt.run(clock.now()));
      },
      async close() {
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
