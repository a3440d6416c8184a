import { join } from 'node:path';
import Database from 'better-sqlite3';
import { explainSqliteFailure } from './sqlite-failure.ts';

/**
 * Locks the folder for this process and returns the unlock function; throws if another process has it.
 * An exclusive lock on a file of its own: the system frees it when the process dies, unlike a pid file.
 */
export function lockDataDir(dataDir: string): () => void {
  const file = join(dataDir, 'lock.db');
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(
        `Another Countersign process is running on ${dataDir}: two would do the same work twice. ` +
          'Stop that process, or set another DATA_DIR for this one.',
        { cause: error },
      );
    }
    if (error instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) {
      throw new Error(
        `${file} is damaged. It holds nothing but a lock: delete it and start again.`,
        {
          cause: error,
        },
      );
    }
    throw explainSqliteFailure(error, file);
  }
  const held = lock;
  return () => held.close();
}
