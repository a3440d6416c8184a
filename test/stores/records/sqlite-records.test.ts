import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createGroupCommit } from '../../../src/stores/records/group-commit.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/records/sqlite-records.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { recordsContract } from './records-contract.ts';

recordsContract(
  'SQLite',
  async () => {
    const { path, remove } = await makeTempDir();
    const file = join(path, 'records.db');
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.exec(RECORDS_SCHEMA);
    const log = openSync(`${file}-wal`, 'r+');
    const group = createGroupCommit(log, file);
    const records = openSqliteRecords({ db, file, group }, 1_000);
    return {
      records,
      async close() {
        await records.close();
        closeSync(log);
        db.close();
        await remove();
      },
    };
  },
  300,
);
