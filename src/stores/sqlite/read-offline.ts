import { existsSync } from 'node:fs';
import type { Records } from '../records.ts';
import { databasePathIn } from './open-database.ts';
import { openSqliteForCommand } from './open-sqlite-for-command.ts';

/** Reads from a data folder, whether or not an app is running. Returns `none` if there is no database; rejects if it can't be read. */
export async function readOffline<T>(
  dataDir: string,
  none: T,
  read: (records: Records) => Promise<T>,
): Promise<T> {
  if (!existsSync(databasePathIn(dataDir))) return none;
  const { close, records } = openSqliteForCommand(dataDir, 'read');
  try {
    return await read(records);
  } finally {
    await close();
  }
}
