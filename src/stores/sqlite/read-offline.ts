import { existsSync } from 'node:fs';
import type { Records } from '../records.ts';
import { databaseIn } from './open-database.ts';
import { openSqliteBeside } from './open-sqlite-for-command.ts';

/** Reads something of a data folder, beside a running app or without one; `none` where there is no database yet. Rejects when it can't be read. */
export async function readOffline<T>(
  dataDir: string,
  none: T,
  read: (records: Records) => Promise<T>,
): Promise<T> {
  if (!existsSync(databaseIn(dataDir))) return none;
  const { close, records } = openSqliteBeside(dataDir, 'read');
  try {
    return await read(records);
  } finally {
    await close();
  }
}
