import type { Database } from 'better-sqlite3';
import { type AdminRoutes, NO_ADMIN_ROUTES } from '../../domain/admin-routes.ts';
import type { RouteBook } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

const READ = 'SELECT document FROM route_book';

/** Creates the book of routes that are set in Slack, over one connection. */
export function createSqliteRoutes(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): RouteBook {
  const read = db.prepare<[], { document: string }>(READ);
  const begin = db.prepare<[revision: number, document: string]>(
    'INSERT INTO route_book (only, revision, document) VALUES (1, ?, ?) ON CONFLICT (only) DO NOTHING',
  );
  const change = db.prepare<[revision: number, document: string, before: number]>(
    'UPDATE route_book SET revision = ?, document = ? WHERE revision = ?',
  );

  return {
    read: async () => readRoutes(transact.read(() => read.get())),
    async write(book, effects) {
      const { revision } = book;
      const document = JSON.stringify(book);
      return transact.write(() => {
        const { changes } =
          revision === 1
            ? begin.run(revision, document)
            : change.run(revision, document, revision - 1);
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
  };
}

function readRoutes(row: { readonly document: string } | undefined): AdminRoutes {
  return row
    ? readDocument<AdminRoutes>(row.document, { kind: 'routes', id: '' })
    : NO_ADMIN_ROUTES;
}
