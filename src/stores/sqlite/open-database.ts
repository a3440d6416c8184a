import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder } from '../files/sync-folder.ts';
import type { RecordsLocation } from '../owned-records.ts';
import { assertVersion, OtherVersionError, STORE_VERSION } from '../store-version.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { lockDataDir } from './lock-data-dir.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';
import { RECORDS_SCHEMA } from './sqlite-records.ts';

/** An open database that no other app process uses. */
export interface OpenDatabase {
  readonly db: Database.Database;
  readonly file: string;
  readonly group: GroupCommit;
  /** Idempotent. */
  close(): void;
}

/** How long a writer waits for another one. */
const BUSY_TIMEOUT_MS = 5_000;

/** Path of a data folder's database. */
export function databasePathIn(dataDir: string): string {
  return join(dataDir, 'countersign.db');
}

/** Names the data in messages. */
export function sqliteLocation(dataDir: string): RecordsLocation {
  return { where: `The data in ${dataDir}`, setting: 'DATA_DIR' };
}

/** Opens `countersign.db`, creating it and its folder if missing. Throws, saying what to do, if it can't be used or another process has it. */
export function openDatabase(dataDir: string): OpenDatabase {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw explainSqliteFailure(error, dataDir);
  }
  const unlock = lockDataDir(dataDir);
  const file = databasePathIn(dataDir);
  let db: Database.Database | undefined;
  let log: number | undefined;
  const close = (): void => {
    db?.close();
    // After the database: SQLite may read the log until it is closed.
    if (log !== undefined) closeSync(log);
    log = undefined;
    unlock();
  };
  try {
    db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    setJournal(db, 'NORMAL');
    prepareSchema(db, file);
    log = openSync(`${file}-wal`, 'r+');
    return { db, file, group: createGroupCommit(log, file), close };
  } catch (error) {
    close();
    throw explainSqliteFailure(error, file);
  }
}

/** Creates a folder and its parents durably. */
function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); made.startsWith(resolve(first)); made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/** Opens the database for a command that writes while the app may be running; each commit is durable by itself. */
export function openToWrite(dataDir: string): Database.Database {
  const file = databasePathIn(dataDir);
  if (!existsSync(file)) openDatabase(dataDir).close();
  return opened(file, () => {
    const db = new Database(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    assertOurs(db, file);
    setJournal(db, 'FULL');
    return db;
  });
}

/** Opens the database read-only while the app may be running. */
export function openToRead(dataDir: string): Database.Database {
  const file = databasePathIn(dataDir);
  return opened(file, () => {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    assertOurs(db, file);
    return db;
  });
}

function opened(file: string, open: () => Database.Database): Database.Database {
  try {
    return open();
  } catch (error) {
    throw explainSqliteFailure(error, file);
  }
}

/** `FULL`: each commit syncs by itself. `NORMAL`: the group commit syncs. https://www.sqlite.org/pragma.html#pragma_synchronous */
function setJournal(db: Database.Database, synchronous: 'FULL' | 'NORMAL'): void {
  const journal = db.pragma('journal_mode = WAL', { simple: true });
  if (journal !== 'wal') {
    throw new Error(
      `${db.name} can’t be used with a write-ahead log (its journal is "${journal}"). ` +
        'Set DATA_DIR to a folder on a local disk.',
    );
  }
  db.pragma(`synchronous = ${synchronous}`);
}

function prepareSchema(db: Database.Database, file: string): void {
  if (isEmpty(db)) {
    const create = db.transaction(() => {
      db.exec(RECORDS_SCHEMA);
      db.pragma(`user_version = ${STORE_VERSION}`);
    });
    create.immediate();
  }
  assertOurs(db, file);
}

function assertOurs(db: Database.Database, file: string): void {
  if (isEmpty(db)) {
    throw new OtherVersionError(
      `${file} is empty. If it is a copy, it lacks the data of the -wal file beside the original: make copies with “npx --no -- countersign backup FILE”. Otherwise start the app once, or set DATA_DIR to the folder of its records.`,
    );
  }
  assertVersion(file, versionOf(db), 'DATA_DIR');
}

export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

export function isEmpty(db: Database.Database): boolean {
  return versionOf(db) === 0 && !db.prepare('SELECT 1 FROM sqlite_schema').get();
}
