import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ApiKey } from '../../domain/api-key.ts';
import { readDocument } from '../read-record.ts';

/** Reads the keys of programs, beside a running app or without one; none where there is no database yet. Throws when they can't be read. */
export function readKeysOffline(dataDir: string): readonly ApiKey[] {
  const file = join(dataDir, 'countersign.db');
  if (!existsSync(file)) return [];
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'keys'`).get();
    if (!isThere) return [];
    const rows = db.prepare<[], { document: string }>('SELECT document FROM keys').all();
    return rows.map(({ document }) => readDocument<ApiKey>(document, { kind: 'key', id: '' }));
  } finally {
    db.close();
  }
}
