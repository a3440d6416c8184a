import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { type CommandRecords, NoRecordsError } from '../command-records.ts';
import { createFileKey, keyFileIn, readFileKey } from '../files/key-file.ts';
import { createOwnedRecords } from '../owned-records.ts';
import { databasePathIn, openToRead, openToWrite, sqliteLocation } from './open-database.ts';
import { openSqliteRecords } from './sqlite-records.ts';

/** Opens the records of a data folder. Holds no lock between calls, so that the app can keep running. */
export function openSqliteForCommand(dataDir: string, how: 'read' | 'write'): CommandRecords {
  const file = databasePathIn(dataDir);
  if (how === 'read' && !existsSync(file)) {
    throw new NoRecordsError(
      `There are no records: ${file} does not exist. Set DATA_DIR to the folder of the app's records, or REDIS_URL if they are on Redis.`,
    );
  }
  let db: Database.Database | undefined;
  try {
    const opened = how === 'read' ? openToRead(dataDir) : openToWrite(dataDir);
    db = opened;
    const bare = openSqliteRecords({ db: opened, file }, 0);
    const { checkOwner, records } = createOwnedRecords(bare, sqliteLocation(dataDir));
    return {
      ...{ records, checkOwner },
      installationKey: createFileKey(dataDir),
      key: () => readFileKey(dataDir),
      keyPlace: keyFileIn(dataDir),
      close: async () => void opened.close(),
    };
  } catch (error) {
    db?.close();
    if (!(error instanceof Error)) throw error;
    throw new NoRecordsError(describeProblem(error, file), { cause: error });
  }
}

function describeProblem(error: Error, file: string): string {
  const isOther = 'code' in error && error.code === 'SQLITE_ERROR';
  // SQLITE_ERROR: a table or column is missing.
  return isOther
    ? `${file} is not a Countersign database, or it is damaged: ${error.message}. Set DATA_DIR to the folder of the app's records.`
    : error.message;
}
