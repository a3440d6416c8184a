import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type AdminRoutes, NO_ADMIN_ROUTES } from '../../domain/admin-routes.ts';
import { readDocument } from '../read-record.ts';

/** Reads the routes that are set in Slack, beside a running app or without one; none where there is no database yet. Throws when they can't be read. */
export function readRoutesOffline(dataDir: string): AdminRoutes {
  const file = join(dataDir, 'countersign.db');
  if (!existsSync(file)) return NO_ADMIN_ROUTES;
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'route_book'`).get();
    if (!isThere) return NO_ADMIN_ROUTES;
    const row = db.prepare<[], { document: string }>('SELECT document FROM route_book').get();
    return row
      ? readDocument<AdminRoutes>(row.document, { kind: 'routes', id: '' })
      : NO_ADMIN_ROUTES;
  } finally {
    db.close();
  }
}
