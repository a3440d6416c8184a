import type { Database } from 'better-sqlite3';
import type { Agenda, Lease, ThreadFence, Wake } from '../../domain/agenda.ts';
import { pumpKey } from '../../domain/agenda.ts';
import { StaleFenceError } from '../../domain/store.ts';
import { decodeAgendaKey, encodeAgendaKey } from '../agenda-key.ts';
import type { Transact } from './transact.ts';

/** The agenda's statements for use within a transaction of another port. */
export interface AgendaRows {
  wake(wakes: readonly Wake[]): void;
  /** Throws `StaleFenceError` unless the bearer is the last one that was given the thread. */
  assertFence(fence: ThreadFence): void;
  /** Makes all leased work due, and posts that are due a second try, for a loss of power may have undone the trace of the first: to be called while no worker lives. */
  releaseAll(now: number): void;
}

interface ReadyRow {
  readonly key: string;
  readonly tries: number;
  readonly deaths: number;
  readonly leased: number;
}

/** Creates the statements that other ports write the agenda with. */
export function createAgendaRows(db: Database, transact: Transact): AgendaRows {
  // Parked work has no due time: what wakes it is its first one, and its tries start anew.
  const wake = db.prepare<[key: string, dueAt: number]>(`
    INSERT INTO agenda (key, due_at) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET
      due_at = min(coalesce(due_at, excluded.due_at), excluded.due_at),
      tries = iif(parked_at IS NULL, tries, 0),
      deaths = iif(parked_at IS NULL, deaths, 0),
      reason = iif(parked_at IS NULL, reason, NULL),
      parked_at = NULL`);
  const fenceOf = db
    .prepare<[key: string], number>('SELECT fence FROM agenda WHERE key = ?')
    .pluck();
  const releaseAll = db.prepare<[now: number, now: number]>(`
    UPDATE agenda SET
      leased_until = NULL, tries = tries + 1, deaths = deaths + 1,
      due_at = min(coalesce(due_at, ?), ?)
    WHERE leased_until IS NOT NULL`);
  // Leases and where a post lies are committed behind: whoever tries again looks in Slack first.
  const tryPostsAgain = db.prepare<[now: number]>(`
    UPDATE agenda SET tries = 1
    WHERE ready_at <= ? AND tries = 0
      AND substr(key, 1, instr(key, ':') - 1) IN ('say', 'redraw', 'stub', 'bulletin')`);

  return {
    wake(wakes) {
      for (const { key, dueAt } of wakes) wake.run(encodeAgendaKey(key), dueAt);
      if (wakes.length > 0) transact.noteWake();
    },
    assertFence(fence) {
      const newest = fenceOf.get(encodeAgendaKey(pumpKey(fence.thread)));
      if (newest === fence.token) return;
      throw new StaleFenceError(
        `Refused a write to thread ${fence.thread}: it came with fence ${fence.token}, and ` +
          `${newest === undefined ? 'nobody was given the thread' : `the newest is ${newest}`}.`,
      );
    },
    releaseAll(now) {
      releaseAll.run(now, now);
      tryPostsAgain.run(now);
    },
  };
}

/** Creates the agenda over one connection. */
export function createSqliteAgenda(db: Database, transact: Transact, rows: AgendaRows): Agenda {
  const ready = db.prepare<[now: number, most: number], ReadyRow>(`
    SELECT key, tries, deaths, leased_until IS NOT NULL AS leased FROM agenda
    WHERE ready_at <= ? ORDER BY ready_at, seq LIMIT ?`);
  const nextFence = db
    .prepare<[], number>(
      `UPDATE counters SET value = value + 1 WHERE name = 'fence' RETURNING value`,
    )
    .pluck();
  const take = db.prepare(`
    UPDATE agenda SET
      fence = @fence, leased_until = @until, tries = @tries, deaths = @deaths,
      due_at = iif(due_at <= @now, NULL, due_at)
    WHERE key = @key`);
  const renew = db.prepare<[until: number, key: string, fence: number]>(
    'UPDATE agenda SET leased_until = ? WHERE key = ? AND fence = ? AND leased_until IS NOT NULL',
  );
  const finish = db.prepare<[key: string, fence: number]>(`
    UPDATE agenda SET leased_until = NULL, tries = 0, deaths = 0, reason = NULL
    WHERE key = ? AND fence = ? AND leased_until IS NOT NULL`);
  const backOff = db.prepare(`
    UPDATE agenda SET
      leased_until = NULL, tries = tries + 1, deaths = 0, reason = @reason,
      due_at = min(coalesce(due_at, @dueAt), @dueAt)
    WHERE key = @key AND fence = @fence AND leased_until IS NOT NULL`);
  const postpone = db.prepare(`
    UPDATE agenda SET
      leased_until = NULL, deaths = 0, due_at = min(coalesce(due_at, @dueAt), @dueAt)
    WHERE key = @key AND fence = @fence AND leased_until IS NOT NULL`);
  // Who woke it during the work wants it looked at: it starts afresh instead of being parked.
  const park = db.prepare(`
    UPDATE agenda SET
      leased_until = NULL,
      tries = iif(due_at IS NULL, tries + 1, 0),
      deaths = 0,
      reason = @reason,
      parked_at = iif(due_at IS NULL, @now, NULL)
    WHERE key = @key AND fence = @fence AND leased_until IS NOT NULL`);
  const nextDueAt = db
    .prepare<[], number | null>('SELECT min(ready_at) FROM agenda WHERE ready_at IS NOT NULL')
    .pluck();
  const parked = db.prepare<[], { key: string; reason: string; at: number }>(`
    SELECT key, reason, parked_at AS at FROM agenda
    WHERE parked_at IS NOT NULL ORDER BY parked_at, seq`);
  const planned = db.prepare<[key: string]>(`
    SELECT 1 FROM agenda WHERE key = ? AND (ready_at IS NOT NULL OR parked_at IS NOT NULL)`);

  function lease(row: ReadyRow, now: number, leaseMs: number): Lease {
    const fence = nextFence.get();
    if (fence === undefined) throw new Error('The database has lost its counter of fences.');
    // A damaged count is none: it must not keep work from being parked, or hold up other work.
    const tries = (Number(row.tries) || 0) + row.leased;
    const deaths = (Number(row.deaths) || 0) + row.leased;
    const until = now + leaseMs;
    take.run({ key: row.key, fence, until, tries, deaths, now });
    return { key: decodeAgendaKey(row.key), fence, expiresAt: until, tries, deaths };
  }

  return {
    async wake(wakes) {
      transact.write(() => rows.wake(wakes));
    },
    async claim(now, leaseMs, most) {
      // Mostly there is none.
      const rows = transact.read(() => ready.all(now, most));
      if (rows.length === 0) return [];
      return transact.writeBehind(() => rows.map((row) => lease(row, now, leaseMs)));
    },
    async renew(lease, now, leaseMs) {
      const expiresAt = now + leaseMs;
      const key = encodeAgendaKey(lease.key);
      const { changes } = transact.writeBehind(() => renew.run(expiresAt, key, lease.fence));
      return changes === 0 ? undefined : { ...lease, expiresAt };
    },
    async finish(lease) {
      transact.writeBehind(() => finish.run(encodeAgendaKey(lease.key), lease.fence));
    },
    async backOff(lease, dueAt, reason) {
      const key = encodeAgendaKey(lease.key);
      transact.write(() => backOff.run({ key, fence: lease.fence, dueAt, reason }));
    },
    async postpone(lease, dueAt) {
      const key = encodeAgendaKey(lease.key);
      transact.writeBehind(() => postpone.run({ key, fence: lease.fence, dueAt }));
    },
    async park(lease, now, reason) {
      const key = encodeAgendaKey(lease.key);
      transact.write(() => park.run({ key, fence: lease.fence, now, reason }));
    },
    async nextDueAt() {
      return transact.read(() => nextDueAt.get() ?? undefined);
    },
    async parked() {
      const rowsParked = transact.read(() => parked.all());
      return rowsParked.map(({ key, reason, at }) => ({ key: decodeAgendaKey(key), reason, at }));
    },
    async unplanned(keys) {
      return transact.read(() => keys.filter((key) => !planned.get(encodeAgendaKey(key))));
    },
  };
}
