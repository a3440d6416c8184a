import type { Database } from 'better-sqlite3';
import type { OnDamaged } from '../../domain/damage.ts';
import type { InboxMessage } from '../../domain/message.ts';
import type { Inbox } from '../../domain/store.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { readIntact, readRecord } from '../read-record.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import { createTouch } from './sqlite-untouched.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

interface Row {
  readonly id: string;
  readonly thread: ThreadKey;
  readonly document: string;
}

/** Creates the inbox over one connection. */
export function createSqliteInbox(
  db: Database,
  transact: Transact,
  agenda: AgendaRows,
  writeEffects: WriteEffects,
  onDamaged: OnDamaged,
): Inbox {
  const insert = db.prepare<[id: string, thread: string, ts: string, document: string]>(`
    INSERT INTO inbox (id, thread, ts, state, document) VALUES (?, ?, ?, 'waiting', ?)
    ON CONFLICT (id) DO NOTHING`);
  const touch = createTouch(db);
  const known = db.prepare<[thread: string]>('SELECT 1 FROM inbox WHERE thread = ? LIMIT 1');
  const received = db.prepare<[ids: string], { id: string }>(
    'SELECT id FROM inbox WHERE id IN (SELECT value FROM json_each(?))',
  );
  // Seconds may differ in length, their six decimals do not.
  const inState = db.prepare<[thread: string, state: 'waiting' | 'current'], Row>(`
    SELECT id, thread, document FROM inbox WHERE thread = ? AND state = ?
    ORDER BY CAST(ts AS INTEGER), ts`);
  const begin = db.prepare(`
    UPDATE inbox SET state = 'current'
    WHERE id = @id AND thread = @thread AND state = 'waiting' AND NOT EXISTS (
      SELECT 1 FROM inbox WHERE thread = @thread AND state = 'current')`);
  const end = db.prepare(`
    UPDATE inbox SET state = @how
    WHERE id = @id AND thread = @thread AND state IN ('waiting', 'current')`);

  const ongoing = db.prepare<[from: string, to: string], Row>(`
    SELECT id, thread, document FROM inbox WHERE state = 'current' AND thread >= ? AND thread < ?
    ORDER BY thread`);
  const busy = db.prepare<[], { thread: ThreadKey }>(
    `SELECT DISTINCT thread FROM inbox WHERE state IN ('waiting', 'current') ORDER BY thread`,
  );
  const stop = db.prepare(`
    UPDATE inbox SET document = json_set(document, '$.stopped', json(@stopped))
    WHERE id = @id AND state = 'current' AND json_extract(document, '$.stopped') IS NULL`);

  const toMessage = ({ id, thread, document }: Row): InboxMessage =>
    readRecord('message', document, { kind: 'message', id, thread });
  const rowsOf = (thread: string, state: 'waiting' | 'current'): readonly Row[] =>
    transact.read(() => inState.all(thread, state));

  return {
    async receive(message, effects) {
      return transact.write(() => {
        const { id, thread, ts } = message;
        const { changes } = insert.run(id, thread, ts, JSON.stringify(message));
        if (changes === 0) return 'known';
        touch(thread, message.receivedAt);
        writeEffects(effects);
        return 'new';
      });
    },
    async knows(thread) {
      return transact.read(() => known.get(thread) !== undefined);
    },
    async received(ids) {
      const rows = transact.read(() => received.all(JSON.stringify(ids)));
      return new Set(rows.map(({ id }) => id));
    },
    async current(thread) {
      const [current] = rowsOf(thread, 'current');
      return current && toMessage(current);
    },
    async waiting(thread) {
      return readIntact(rowsOf(thread, 'waiting'), toMessage, onDamaged);
    },
    async ongoing({ team, channel }) {
      const prefix = channel === undefined ? `${team}/` : `${team}/${channel}/`;
      // The next character after the slash ends the range of keys that begin so.
      const end = `${prefix.slice(0, -1)}0`;
      const rows = transact.read(() => ongoing.all(prefix, end));
      return readIntact(rows, toMessage, onDamaged);
    },
    async busyThreads() {
      return transact.read(() => busy.all()).map(({ thread }) => thread);
    },
    async stop(id, by, at, effects) {
      return transact.write(() => {
        const { changes } = stop.run({ id, stopped: JSON.stringify({ by, at }) });
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
    async begin(id, effects, fence) {
      return transact.writeBehind(() => {
        agenda.assertFence(fence);
        const { changes } = begin.run({ id, thread: fence.thread });
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
    async end(id, how, effects, fence) {
      return transact.write(() => {
        agenda.assertFence(fence);
        const { changes } = end.run({ id, how, thread: fence.thread });
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
  };
}
