import type { Database } from 'better-sqlite3';
import type { CardPlace } from '../../domain/call.ts';
import type { OnDamaged } from '../../domain/damage.ts';
import type { Say } from '../../domain/say.ts';
import type { Outbox } from '../../domain/store.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { readIntact, readRecord } from '../read-record.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import type { Transact } from './transact.ts';

/** The outbox's statements for use within a transaction of another port. */
export interface OutboxRows {
  add(says: readonly Say[]): void;
}

/** Creates the statements that other ports write the outbox with. */
export function createOutboxRows(db: Database): OutboxRows {
  const insert = db.prepare<[id: string, thread: string, document: string]>(`
    INSERT INTO outbox (id, thread, document) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`);

  return {
    add(says) {
      for (const say of says) insert.run(say.id, say.thread, JSON.stringify(say));
    },
  };
}

/** Creates the outbox over one connection. */
export function createSqliteOutbox(
  db: Database,
  transact: Transact,
  rows: OutboxRows,
  agenda: AgendaRows,
  onDamaged: OnDamaged,
): Outbox {
  const unsaid = db.prepare<[thread: string], { id: string; document: string }>(`
    SELECT id, document FROM outbox WHERE thread = ? AND document IS NOT NULL ORDER BY seq`);
  const markSaid = db.prepare<[id: string]>('UPDATE outbox SET document = NULL WHERE id = ?');
  const unsaidThreads = db.prepare<[], { thread: ThreadKey }>(
    'SELECT DISTINCT thread FROM outbox WHERE document IS NOT NULL ORDER BY thread',
  );

  const placeLive = db.prepare<[thread: string, channel: string, ts: string]>(`
    INSERT INTO lives (thread, channel, ts) VALUES (?, ?, ?)
    ON CONFLICT (thread) DO UPDATE SET channel = excluded.channel, ts = excluded.ts`);
  const dropLive = db.prepare<[thread: string]>('DELETE FROM lives WHERE thread = ?');
  const liveOf = db.prepare<[thread: string], CardPlace>(
    'SELECT channel, ts FROM lives WHERE thread = ?',
  );

  return {
    async add(says, wakes, fence) {
      transact.write(() => {
        if (fence) agenda.assertFence(fence);
        rows.add(says);
        agenda.wake(wakes);
      });
    },
    async unsaid(thread) {
      const found = transact.read(() => unsaid.all(thread));
      const read = ({ id, document }: { readonly id: string; readonly document: string }) =>
        readRecord('say', document, { kind: 'say', id, thread });
      return readIntact(found, read, onDamaged);
    },
    async markSaid(id) {
      transact.writeBehind(() => markSaid.run(id));
    },
    async unsaidThreads() {
      return transact.read(() => unsaidThreads.all()).map(({ thread }) => thread);
    },
    async placeLive(thread, place) {
      transact.writeBehind(() =>
        place ? placeLive.run(thread, place.channel, place.ts) : dropLive.run(thread),
      );
    },
    async liveOf(thread) {
      return transact.read(() => liveOf.get(thread));
    },
  };
}
