import type { Database } from 'better-sqlite3';
import { type Arrival, type Bulletins, bulletinId, type Welcome } from '../../domain/bulletin.ts';
import type { CardPlace } from '../../domain/call.ts';
import { joinCalled, splitCalled } from '../called-names.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';

interface Row {
  readonly id: string;
  readonly channel: string;
  readonly since: number;
  readonly total: number;
  readonly opener: string;
  readonly called: string;
  readonly place: string | null;
}

/** Creates the bulletins over one connection. */
export function createSqliteBulletins(db: Database, transact: Transact): Bulletins {
  const known = db.prepare<[Key], { calls: string; bulletin: string | null }>(`
    SELECT calls, bulletin FROM arrivals
    WHERE channel = @channel AND call_id = @callId AND occasion = @occasion`);
  const forgetOld = db.prepare<[channel: string, at: number]>(
    'DELETE FROM arrivals WHERE channel = ? AND waits = 0 AND at <= ?',
  );
  const crowd = db
    .prepare<[channel: string, at: number], number>(
      'SELECT count(*) FROM arrivals WHERE channel = ? AND at > ?',
    )
    .pluck();
  const insert = db.prepare<
    [Key & { readonly at: number; readonly those: string; readonly bulletin: string | null }]
  >(`
    INSERT INTO arrivals (channel, call_id, occasion, at, calls, bulletin)
    VALUES (@channel, @callId, @occasion, @at, @those, @bulletin)`);
  const open = db.prepare<
    [channel: string, lastAfter: number, openedAfter: number],
    { id: string; called: string }
  >(`
    SELECT id, called FROM bulletins
    WHERE channel = ? AND last_at > ? AND opened_at > ? ORDER BY seq DESC LIMIT 1`);
  const join = db.prepare<[at: number, called: string, id: string]>(
    'UPDATE bulletins SET last_at = ?, called = ?, total = total + 1 WHERE id = ?',
  );
  const takeIn = db.prepare<[bulletin: string, channel: string, at: number]>(`
    UPDATE arrivals SET bulletin = ?
    WHERE channel = ? AND at > ? AND waits = 1 AND bulletin IS NULL`);
  const begin = db.prepare<{ id: string; channel: string; at: number; calls: string }>(`
    INSERT INTO bulletins (id, channel, since, opened_at, last_at, total, opener, called)
    SELECT @id, @channel, min(at), @at, @at, count(DISTINCT call_id), @calls, @calls
    FROM arrivals WHERE bulletin = @id`);
  const waitsNoMore = db
    .prepare<[callId: string, except: string], string | null>(`
      UPDATE arrivals SET waits = 0 WHERE call_id = ? AND channel <> ? AND waits = 1
      RETURNING bulletin`)
    .pluck();
  const read = db.prepare<[id: string], Row>(
    'SELECT id, channel, since, total, opener, called, place FROM bulletins WHERE id = ?',
  );
  const waiting = db
    .prepare<[id: string], number>(
      'SELECT count(DISTINCT call_id) FROM arrivals WHERE bulletin = ? AND waits = 1',
    )
    .pluck();
  const callsOf = db
    .prepare<[id: string, limit: number], string>(`
      SELECT call_id FROM arrivals LEFT JOIN calls ON calls.id = call_id
      WHERE bulletin = ? AND waits = 1 GROUP BY call_id ORDER BY calls.seq, call_id LIMIT ?`)
    .pluck();
  const place = db.prepare<[place: string, id: string]>(
    'UPDATE bulletins SET place = ? WHERE id = ?',
  );
  const forget = db.prepare<[id: string]>('DELETE FROM bulletins WHERE id = ?');

  function joinOpen(arrival: Arrival, found: { id: string; called: string }): Welcome {
    const { at } = arrival;
    const called = splitCalled(found.called);
    const calls = arrival.calls.filter((each) => !called.includes(each));
    join.run(at, joinCalled([...called, ...calls]), found.id);
    insert.run({ ...keyOf(arrival), at, those: joinCalled(calls), bulletin: found.id });
    return { calls, bulletin: found.id };
  }

  function beginOne(arrival: Arrival, after: number): Welcome {
    const { at, channel } = arrival;
    const id = bulletinId(arrival);
    insert.run({ ...keyOf(arrival), at, those: '', bulletin: id });
    takeIn.run(id, channel, after);
    begin.run({ id, channel, at, calls: joinCalled(arrival.calls) });
    return { calls: [], bulletin: id };
  }

  return {
    async arrive(arrival, { over, windowMs, lifeMs }) {
      const { at, calls, channel } = arrival;
      return transact.write(() => {
        const before = known.get(keyOf(arrival));
        if (before) {
          const { bulletin } = before;
          return { calls: splitCalled(before.calls), ...(bulletin && { bulletin }) };
        }
        const after = at - windowMs;
        forgetOld.run(channel, after);
        if ((crowd.get(channel, after) ?? 0) < over) {
          insert.run({ ...keyOf(arrival), at, those: joinCalled(calls), bulletin: null });
          return { calls };
        }
        const found = open.get(channel, after, at - lifeMs);
        return found ? joinOpen(arrival, found) : beginOne(arrival, after);
      });
    },
    async leave(callId, except = '') {
      const left = transact.write(() => waitsNoMore.all(callId, except));
      return [...new Set(left.filter((each) => each !== null))];
    },
    async read(id) {
      return transact.read(() => {
        const row = read.get(id);
        if (!row) return undefined;
        const { opener, called: _, place: stands, ...rest } = row;
        const at =
          stands === null ? undefined : readDocument<CardPlace>(stands, { kind: 'bulletin', id });
        return {
          ...rest,
          waiting: waiting.get(id) ?? 0,
          calls: splitCalled(opener),
          ...(at && { place: at }),
        };
      });
    },
    async callsOf(id, limit) {
      return transact.read(() => callsOf.all(id, limit));
    },
    async place(id, { channel, ts }) {
      transact.write(() => place.run(JSON.stringify({ channel, ts }), id));
    },
    async forget(id) {
      return transact.write(() => {
        if ((waiting.get(id) ?? 0) > 0) return false;
        forget.run(id);
        return true;
      });
    },
  };
}

interface Key {
  readonly channel: string;
  readonly callId: string;
  readonly occasion: string;
}

function keyOf({ channel, callId, occasion = '' }: Arrival): Key {
  return { channel, callId, occasion };
}
