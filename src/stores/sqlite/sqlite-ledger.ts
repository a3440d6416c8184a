import type { Database } from 'better-sqlite3';
import type { Call, CallStatus, CardPlace, SidePost } from '../../domain/call.ts';
import type { OnDamaged } from '../../domain/damage.ts';
import type { Person } from '../../domain/person.ts';
import type { Ledger } from '../../domain/store.ts';
import { isEdge } from '../../domain/transitions.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { lastStep } from '../last-step.ts';
import { readCall, readIntact, readPage } from '../read-record.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import { createAskedRows } from './sqlite-asked.ts';
import { createDecidedRows } from './sqlite-decided.ts';
import { createTouch } from './sqlite-untouched.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

interface Row {
  readonly id: string;
  readonly delivered: number;
  readonly document: string;
  readonly revision: number;
}

/** What a call is read from. */
const ROW = 'id, delivered, document, revision';

/** Counts the calls of a key that wait for people. */
export const COUNT_PENDING_OF_KEY = `SELECT count(*) FROM calls WHERE key = ? AND status = 'pending'`;

/** Creates the ledger over one connection. */
export function createSqliteLedger(
  db: Database,
  transact: Transact,
  agenda: AgendaRows,
  writeEffects: WriteEffects,
  onDamaged: OnDamaged,
): Ledger {
  const insert = db.prepare(`
    INSERT INTO calls (id, thread, turn, message_id, tool_call_id, position, created_at, status,
      revision, delivered, document, requester, tool, key)
    VALUES (@id, @thread, @turn, @messageId, @toolCallId, @position, @createdAt, @status,
      @revision, @delivered, @document, @requester, @tool, @key)
    ON CONFLICT DO NOTHING`);
  const byKey = db.prepare<[thread: string, messageId: string, toolCallId: string], Row>(`
    SELECT ${ROW} FROM calls
    WHERE thread = ? AND message_id = ? AND tool_call_id = ?`);
  const byId = db.prepare<[id: string], Row>(`SELECT ${ROW} FROM calls WHERE id = ?`);
  const ofThread = db.prepare<[thread: string], Row>(`
    SELECT ${ROW} FROM calls
    WHERE thread = ? ORDER BY created_at, position, seq`);
  const ofTurn = db.prepare<[thread: string, turn: string], Row>(`
    SELECT ${ROW} FROM calls
    WHERE thread = ? AND turn = ? ORDER BY created_at, position, seq`);
  const replace = db.prepare(`
    UPDATE calls SET status = @status, revision = @revision, document = @document,
      delivered = coalesce(@delivered, delivered)
    WHERE id = @id AND revision = @before`);
  const markDelivered = db.prepare<[id: string, thread: string | null]>(
    'UPDATE calls SET delivered = 1 WHERE id = ? AND thread = coalesce(?, thread)',
  );
  const placeCard = db.prepare<[callId: string, channel: string, ts: string]>(`
    INSERT INTO cards (call_id, channel, ts) VALUES (?, ?, ?)
    ON CONFLICT (call_id) DO UPDATE SET channel = excluded.channel, ts = excluded.ts`);
  const cardOf = db.prepare<[callId: string], CardPlace>(
    'SELECT channel, ts FROM cards WHERE call_id = ?',
  );
  const placeSide = db.prepare<[callId: string, side: SidePost, channel: string, ts: string]>(`
    INSERT INTO sides (call_id, side, channel, ts) VALUES (?, ?, ?, ?)
    ON CONFLICT (call_id, side) DO UPDATE SET channel = excluded.channel, ts = excluded.ts`);
  const dropSide = db.prepare<[callId: string, side: SidePost]>(
    'DELETE FROM sides WHERE call_id = ? AND side = ?',
  );
  const sidesOf = db.prepare<[callId: string], CardPlace & { readonly side: SidePost }>(
    'SELECT side, channel, ts FROM sides WHERE call_id = ?',
  );
  const ofRequester = db.prepare<[requester: string, tool: string, since: number], Row>(`
    SELECT ${ROW} FROM calls
    WHERE requester = ? AND tool = ? AND created_at >= ? ORDER BY created_at, seq`);
  const countPending = db
    .prepare<[requester: string], number>(
      `SELECT count(*) FROM calls WHERE requester = ? AND status = 'pending'`,
    )
    .pluck();
  const dropReport = db.prepare<[callId: string]>('DELETE FROM reports WHERE call_id = ?');
  const touch = createTouch(db);
  const withStatus = db.prepare<[status: CallStatus, after: number, limit: number], Row>(`
    SELECT ${ROW} FROM calls WHERE status = ? AND seq > ? ORDER BY seq LIMIT ?`);
  const madeBy = db.prepare<
    [by: string, isOver: number, before: number | null, most: number],
    Row
  >(`
    SELECT ${ROW} FROM calls
    WHERE requester = ? AND is_over = ? AND seq < coalesce(?, 9e18) ORDER BY seq DESC LIMIT ?`);
  const countPendingOfKey = db.prepare<[key: string], number>(COUNT_PENDING_OF_KEY).pluck();
  const newest = db.prepare<[before: number | null, most: number], Row>(`
    SELECT ${ROW} FROM calls
    WHERE seq < coalesce(?, 9e18) ORDER BY seq DESC LIMIT ?`);
  const newestOfKey = db.prepare<[key: string, before: number | null, most: number], Row>(`
    SELECT ${ROW} FROM calls
    WHERE key = ? AND seq < coalesce(?, 9e18) ORDER BY seq DESC LIMIT ?`);
  const bySeq = db.prepare<[seq: number], Row>(`SELECT ${ROW} FROM calls WHERE seq = ?`);
  const asked = createAskedRows(db);
  const decided = createDecidedRows(db);
  const seqOf = db.prepare<[id: string], number>('SELECT seq FROM calls WHERE id = ?').pluck();
  const count = db.prepare<[], { status: CallStatus; calls: number }>(
    'SELECT status, count(*) AS calls FROM calls GROUP BY status',
  );

  const placeOf = (id: string | undefined) => (id === undefined ? undefined : seqOf.get(id));

  function page(
    at: { readonly after?: string | undefined; readonly limit: number },
    fetch: (after: string | undefined, limit: number) => readonly Row[],
  ): Promise<readonly Call[]> {
    const read = (after: string | undefined, limit: number) =>
      transact.read(() => fetch(after, limit));
    return readPage(at, read, toCall, onDamaged);
  }

  return {
    async propose(call, effects, fence) {
      assertOwnThread(call.thread, fence);
      if (!isEdge(null, call.status, 'propose')) {
        throw new Error(`A call can't be proposed as ${call.status}.`);
      }
      return transact.write(() => {
        if (fence) agenda.assertFence(fence);
        const { changes } = insert.run({
          ...columnsOf(call),
          delivered: Number(call.delivered),
          requester: nameOf(call.requester),
          tool: call.tool,
          key: call.outside?.key ?? null,
        });
        if (changes > 0) writeEffects(effects);
        const stored = byKey.get(call.thread, call.messageId, call.toolCallId) ?? byId.get(call.id);
        if (!stored) throw new Error(`Call ${call.id} was neither inserted nor found.`);
        return toCall(stored);
      });
    },
    async write(before, steps, effects) {
      const after = lastStep(before, steps);
      // Marking as delivered is apart from the revisions: a step that doesn't speak of it keeps it.
      const delivered = after.delivered === before.delivered ? null : Number(after.delivered);
      return transact.write(() => {
        const { changes } = replace.run({
          ...columnsOf(after),
          before: before.revision,
          delivered,
        });
        if (changes === 0) return false;
        touch(after.thread, after.updatedAt);
        asked.move(before, after);
        if (before.status === 'running') dropReport.run(before.id);
        decided.move(before, after);
        writeEffects(effects);
        return true;
      });
    },
    async get(id) {
      const row = transact.read(() => byId.get(id));
      return row && toCall(row);
    },
    async ofThread(thread, turn, damaged) {
      const rows = transact.read(() =>
        turn === undefined ? ofThread.all(thread) : ofTurn.all(thread, turn),
      );
      return damaged === 'leave-out' ? readIntact(rows, toCall, onDamaged) : rows.map(toCall);
    },
    async markDelivered(ids, fence) {
      transact.writeBehind(() => {
        if (fence) agenda.assertFence(fence);
        for (const id of ids) markDelivered.run(id, fence?.thread ?? null);
      });
    },
    async placeCard(callId, place) {
      transact.writeBehind(() => placeCard.run(callId, place.channel, place.ts));
    },
    async cardOf(callId) {
      return transact.read(() => cardOf.get(callId));
    },
    async placeSide(callId, side, place) {
      transact.writeBehind(() =>
        place ? placeSide.run(callId, side, place.channel, place.ts) : dropSide.run(callId, side),
      );
    },
    async sidesOf(callId) {
      const rows = transact.read(() => sidesOf.all(callId));
      return Object.fromEntries(rows.map(({ side, channel, ts }) => [side, { channel, ts }]));
    },
    async ofRequester(requester, tool, since) {
      return transact.read(() => ofRequester.all(nameOf(requester), tool, since)).map(toCall);
    },
    async countPending(requester) {
      return transact.read(() => countPending.get(nameOf(requester)) ?? 0);
    },
    async countPendingOfKey(key) {
      return transact.read(() => countPendingOfKey.get(key) ?? 0);
    },
    newest: ({ key, before, limit }) =>
      page({ after: before, limit }, (from, most) => {
        const seq = placeOf(from) ?? null;
        return key === undefined ? newest.all(seq, most) : newestOfKey.all(key, seq, most);
      }),
    askedGroups: async (team) => transact.read(() => asked.groups(team)),
    askingAny: (team, who, at) =>
      page(at, (from, most) =>
        asked.seqs(team, who, placeOf(from) ?? 0, most).flatMap((seq) => bySeq.get(seq) ?? []),
      ),
    madeBy: (requester, { isOver, before, limit }) =>
      page({ after: before, limit }, (from, most) =>
        madeBy.all(nameOf(requester), Number(isOver), placeOf(from) ?? null, most),
      ),
    decidedBy: (person, { since, before, limit }) =>
      page({ after: before, limit }, (from, most) =>
        decided.ids(person, since, from, most).flatMap((id) => byId.get(id) ?? []),
      ),
    async withStatus(status, at) {
      if (at)
        return await page(at, (from, most) => withStatus.all(status, placeOf(from) ?? 0, most));
      return readIntact(
        transact.read(() => withStatus.all(status, 0, -1)),
        toCall,
        onDamaged,
      );
    },
    async count() {
      const rows = transact.read(() => count.all());
      return Object.fromEntries(rows.map(({ status, calls }) => [status, calls]));
    },
  };
}

const nameOf = ({ team, user }: Person): string => `${team}/${user}`;

/** Checks every step against the one before and returns the call that they end in. */
function columnsOf(call: Call): Record<string, unknown> {
  const { id, thread, turn, messageId, toolCallId, position, createdAt, status, revision } = call;
  const key = { id, thread, turn, messageId, toolCallId, position };
  return { ...key, createdAt, status, revision, document: JSON.stringify(call) };
}

function toCall({ delivered, ...row }: Row): Call {
  return readCall({ ...row, delivered: delivered === 1 });
}
