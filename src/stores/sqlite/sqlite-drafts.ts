import type { Database } from 'better-sqlite3';
import type { Clock } from '../../domain/clock.ts';
import type { Drafts } from '../../domain/store.ts';
import type { Transact } from './transact.ts';

/** Creates the store of what was typed and not sent, over one connection. */
export function createSqliteDrafts(db: Database, transact: Transact, clock: Clock): Drafts {
  const set = db.prepare<[id: string, document: string, until: number]>(
    `INSERT INTO drafts (id, document, until) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET document = excluded.document, until = excluded.until`,
  );
  const get = db.prepare<[id: string, now: number], { document: string }>(
    'SELECT document FROM drafts WHERE id = ? AND until > ?',
  );
  const drop = db.prepare<[id: string]>('DELETE FROM drafts WHERE id = ?');
  const dropEnded = db.prepare<[now: number]>('DELETE FROM drafts WHERE until <= ?');

  return {
    async keep(id, text, until) {
      transact.write(() => {
        dropEnded.run(clock.now());
        set.run(id, text, until);
      });
    },
    read: async (id) => transact.read(() => get.get(id, clock.now()))?.document,
    async drop(id) {
      transact.write(() => void drop.run(id));
    },
  };
}
