import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { StoreCheck } from '../store-check-result.ts';
import { assertVersion } from '../store-version.ts';
import { lockDataDir } from './lock-data-dir.ts';
import { databasePathIn, isEmpty, versionOf } from './open-database.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';

/** Checks the data folder and its database, whether or not an app is running; throws with what to do if they can't be used. */
export function checkDatabase(dataDir: string): StoreCheck {
  const file = databasePathIn(dataDir);
  try {
    if (!existsSync(file)) {
      accessSync(nearestFolder(dataDir), constants.W_OK | constants.X_OK);
      return { message: `${file} will be created at the start.`, warnings: [], isInUse: false };
    }
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
    const state = readState(file);
    const isInUse = existsSync(join(dataDir, 'lock.db')) && isLocked(dataDir);
    const user = isInUse ? ' An app is running on it.' : '';
    return { message: `${file} can be used: ${state}.${user}`, warnings: [], isInUse };
  } catch (error) {
    throw explainSqliteFailure(error, file);
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function readState(file: string): string {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const found = db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') {
      throw new Error(
        `${file} is damaged (${found}). Restore it from a backup, or move it away to start with an empty one.`,
      );
    }
    if (isEmpty(db)) return 'it holds no records yet';
    assertVersion(file, versionOf(db), 'DATA_DIR');
    return 'its records are of this version';
  } finally {
    db.close();
  }
}

function isLocked(dataDir: string): boolean {
  try {
    lockDataDir(dataDir)();
    return false;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  }
}
