import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { lockDataDir } from './lock-data-dir.ts';
import { migrate } from './migrations.ts';
import { explainFailure } from './sqlite-failure.ts';

/** An open database that no other process has. */
export interface OpenDatabase {
  readonly db: Database.Database;
  readonly file: string;
  /** Closing twice is harmless. */
  close(): void;
}

/** How long a writer waits for another one. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Opens `countersign.db` in the folder, made when missing, at its newest version; its commits wait for the disk. */
export function openDatabase(dataDir: string): OpenDatabase {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw explainFailure(error, dataDir);
  }
  const unlock = lockDataDir(dataDir);
  const file = join(dataDir, 'countersign.db');
  let db: Database.Database | undefined;
  const close = (): void => {
    db?.close();
    unlock();
  };
  try {
    db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    setDurable(db);
    db.pragma('foreign_keys = ON');
    migrate(db);
    return { db, file, close };
  } catch (error) {
    close();
    throw explainFailure(error, file);
  }
}

/** Makes commits wait for the disk: a promise that Slack was given must not be lost to a loss of power. */
export function setDurable(db: Database.Database): void {
  const journal = db.pragma('journal_mode = WAL', { simple: true });
  if (journal !== 'wal') {
    throw new Error(
      `${db.name} can not be used with a write-ahead log (its journal is "${journal}"). ` +
        'Set DATA_DIR to a folder on a local disk.',
    );
  }
  db.pragma('synchronous = FULL');
  const synchronous = db.pragma('synchronous', { simple: true });
  if (synchronous !== 2) {
    throw new Error(
      `${db.name} does not wait for the disk (synchronous is ${synchronous} where it should be 2): ` +
        'this build of SQLite can not be used.',
    );
  }
}
