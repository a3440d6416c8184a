import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createFileKey } from '../installation-key.ts';
import { type KeysSource, NoKeysError } from '../keys-source.ts';
import { createInboxRows } from './inbox-rows.ts';
import { MIGRATIONS } from './migrations.ts';
import { BUSY_TIMEOUT_MS, openDatabase, setDurable } from './open-database.ts';
import { createAgendaRows } from './sqlite-agenda.ts';
import { createAuditRows } from './sqlite-audit.ts';
import { explainFailure } from './sqlite-failure.ts';
import { createSqliteKeys } from './sqlite-keys.ts';
import { COUNT_PENDING_OF_KEY } from './sqlite-ledger.ts';
import { createOutboxRows } from './sqlite-outbox.ts';
import { createRecordRows } from './sqlite-records.ts';
import { createTransact } from './transact.ts';
import { createWriteEffects } from './write-effects.ts';

/**
 * Opens the keys of a data folder as a second writer beside the app that may have it; makes the
 * database where there is none. The app brings the schema to its version, so another one is refused.
 */
export function openSqliteKeys(dataDir: string): KeysSource {
  const file = join(dataDir, 'countersign.db');
  let db: Database.Database | undefined;
  try {
    if (!existsSync(file)) openDatabase(dataDir).close();
    db = new Database(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    assertVersion(db, file);
    setDurable(db);
    const installationKey = createFileKey(dataDir);
    const count = db.prepare<[key: string], number>(COUNT_PENDING_OF_KEY).pluck();
    return {
      keys: toKeys(db, file),
      installationKey,
      countPending: async (id) => count.get(id) ?? 0,
      close: async () => void db?.close(),
    };
  } catch (error) {
    db?.close();
    const known = explainFailure(error, file);
    if (known instanceof NoKeysError || !(known instanceof Error)) throw known;
    throw new NoKeysError(known.message, { cause: error });
  }
}

function assertVersion(db: Database.Database, file: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) {
    throw new NoKeysError(
      `${file} was written by a newer Countersign: its version is ${version}, and this one knows up to ${MIGRATIONS.length}. Use the newer Countersign.`,
    );
  }
  const tables = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (version === 0 && tables === 0) throw new NoKeysError(sayEmpty(file));
  throw new NoKeysError(
    `${file} is of an older Countersign: its version is ${version}, and this one needs ${MIGRATIONS.length}. Start the app of this version once, which brings it up to date; then try again.`,
  );
}

/** A database file that was copied alone lacks what its log held. */
function sayEmpty(file: string): string {
  return `${file} is empty. If it is a copy, it lacks what the -wal file beside the original holds: make copies by “npx --no -- countersign backup FILE”. Otherwise start the app once.`;
}

function toKeys(db: Database.Database, file: string) {
  const transact = createTransact(db, file, undefined);
  const writeEffects = createWriteEffects({
    agenda: createAgendaRows(db, transact),
    audit: createAuditRows(db),
    inbox: createInboxRows(db),
    outbox: createOutboxRows(db),
    records: createRecordRows(db),
  });
  return createSqliteKeys(db, transact, writeEffects);
}
