/**
 * Records on Redis 6.2 or later, or Valkey; one server or a cluster. All keys of an installation share one
 * hash tag, so that one script commits. A record is one string, `<revision> <document>`. A partition
 * is a sorted set with all scores 0, so its order is the byte order of `at`.
 */
import { randomBytes } from 'node:crypto';
import {
  assertUniqueRecords,
  type Commit,
  type Committed,
  type Hold,
  type Records,
  type StoredRecord,
  type Task,
  type TaskState,
} from '../records.ts';
import { parseReplyList, parseText, parseTextList } from './connection/parse-reply.ts';
import type { Reply } from './connection/redis-connection.ts';
import type { ScriptRunner } from './connection/script-runner.ts';
import { AUDIT, NEWEST_AUDIT } from './record-read-scripts.ts';
import { createRecordReads, toRecord } from './record-reads.ts';
import { COMMIT, LEASE, RELEASE, RENEW, STATE } from './record-scripts.ts';

/** What the records need from a connection. */
export interface RedisRecordsOptions {
  readonly link: ScriptRunner;
  readonly listen: (channel: string, listener: (message?: string) => void) => Promise<void>;
  /** Prefix of all keys, including the hash tag. */
  readonly prefix: string;
}

/** Opens the records. `close` leaves the connection open. */
export function openRedisRecords({ link, listen, prefix }: RedisRecordsOptions): Records {
  const listeners = new Set<(units: readonly string[] | undefined, isOwn: boolean) => void>();
  const origin = randomBytes(6).toString('base64url');
  let isListening: Promise<void> | undefined;

  return {
    ...createRecordReads(link, prefix),
    async commit(commit, onWritten) {
      assertUniqueRecords(commit.records ?? []);
      const [kind, ...rest] = parseTextList(
        await link.run(COMMIT, prefix, encodeCommit(commit, origin)),
      );
      if (kind === 'done') {
        onWritten?.();
        const [seq, ...handedOut] = rest;
        const auditSeq = commit.audit?.length ? Number(seq) : 0;
        return { kind, auditSeq, handedOut: toTasks(handedOut) };
      }
      if (kind === 'stale') return { kind, unit: rest[0] ?? '' };
      return { kind: 'conflict', newer: toPairs(rest) } satisfies Committed;
    },
    // A commit is answered only once written, so there is nothing to wait for.
    whenDurable: async () => {},
    async lease(now, leaseMs, want) {
      const [most, unit] = 'unit' in want ? ['1', want.unit] : [String(want.most), ''];
      const until = now + leaseMs;
      const reply = await link.run(LEASE, prefix, [String(now), String(until), most, unit]);
      const [rows, next] = parseReplyList(reply);
      const holds = parseReplyList(rows ?? null).map((row) => toHold(row, until));
      return { holds, ...(next !== '' && { next: Number(next) }) };
    },
    async renew(holds, now, leaseMs) {
      const pairs = holds.flatMap(({ token, unit }) => [unit, String(token)]);
      const until = now + leaseMs;
      const reply = await link.run(RENEW, prefix, [String(now), String(until), ...pairs]);
      return parseReplyList(reply).map((row) => toHold(row, until));
    },
    async release({ token, unit }) {
      await link.run(RELEASE, prefix, [unit, String(token)]);
    },
    async stateOf(tasks) {
      if (tasks.length === 0) return [];
      const pairs = tasks.flatMap(({ id, unit }) => [unit, id]);
      const states = parseTextList(await link.run(STATE, prefix, pairs));
      return states.map((state) => (state === '' ? undefined : (state as TaskState)));
    },
    async audit(from, limit) {
      if (limit <= 0) return [];
      const reply = await link.run(AUDIT, prefix, [String(from), String(limit)]);
      const [first, ...entries] = parseTextList(reply);
      return entries.map((entry, i) => ({ seq: Number(first) + i, entry }));
    },
    newestAudit: async () => Number(parseText(await link.run(NEWEST_AUDIT, prefix, []))),
    async watch(listener) {
      listeners.add(listener);
      isListening ??= listen(`${prefix}:wakes`, (message) => {
        const [sender, ...units] = message?.split('\n') ?? [];
        const asked = message === undefined ? undefined : units;
        for (const each of listeners) each(asked, sender === origin);
      });
      await isListening;
      return () => void listeners.delete(listener);
    },
    async close() {
      listeners.clear();
    },
  };
}

/** Arguments of a commit: its id, the sender, whether it releases its units, the time, its fences, then its operations. */
function encodeCommit(commit: Commit, origin: string): readonly string[] {
  const {
    audit = [],
    fences = [],
    held,
    id,
    records = [],
    releases,
    tasks = [],
    tellsAll,
    trimAudit,
  } = commit;
  return [
    id,
    origin,
    releases ? '1' : '0',
    String(held?.now ?? 0),
    String(fences.length),
    ...fences.flatMap(({ token, unit }) => [unit, String(token)]),
    ...(held?.units ?? []).flatMap(({ done, token, unit }) => [
      ...['H', unit, String(token)],
      ...done.flatMap((task) => ['Y', unit, task]),
    ]),
    ...records.flatMap(encodeRecord),
    ...tasks.flatMap(encodeTask),
    ...audit.flatMap((entry) => ['A', entry]),
    ...(tellsAll ? ['W'] : []),
    ...(trimAudit === undefined ? [] : ['Z', String(trimAudit)]),
  ];
}

function encodeRecord(change: NonNullable<Commit['records']>[number]): readonly string[] {
  const { key } = change;
  if ('expects' in change) return ['K', key, String(change.expects)];
  const drops = (change.drop ?? []).flatMap((each) => ['-', each.partition, `${each.sort} ${key}`]);
  if ('isDeletion' in change) return ['D', key, String(change.replaces), ...drops];
  const adds = (change.add ?? []).flatMap((each) => ['+', each.partition, `${each.sort} ${key}`]);
  const text = `${change.replaces + 1} ${change.document}`;
  return ['P', key, String(change.replaces), text, ...drops, ...adds];
}

function encodeTask(change: NonNullable<Commit['tasks']>[number]): readonly string[] {
  const { id, unit } = change;
  if ('askedFor' in change) return ['T', unit, id, String(change.askedFor)];
  if ('isDone' in change) return ['X', unit, id];
  if ('isCalledOff' in change) return ['F', unit, id];
  if ('isParked' in change) return ['B', unit, id];
  return ['O', unit, id, String(change.putOffTo), change.isFailure ? '1' : '0'];
}

function toPairs(texts: readonly string[]): readonly StoredRecord[] {
  const keys = texts.filter((_text, i) => i % 2 === 0);
  return keys.map((key, i) => toRecord(key, texts[2 * i + 1]));
}

/** Texts per task in a reply. */
const TASK_TEXTS = 4;

function toHold(row: Reply, until: number): Hold {
  const [unitText, token, flat, next] = parseReplyList(row);
  const unit = parseText(unitText ?? null);
  const texts = parseTextList(flat ?? null);
  const tasks = toRows(texts, TASK_TEXTS).map((each) => toTask(unit, each));
  const isPlanned = next !== '-';
  return { unit, token: Number(token), until, tasks, ...(isPlanned && { next: Number(next) }) };
}

/** Tasks of several units; each follows its unit. */
function toTasks(texts: readonly string[]): readonly Task[] {
  return toRows(texts, TASK_TEXTS + 1).map(([unit = '', ...task]) => toTask(unit, task));
}

function toTask(unit: string, [id = '', due, tries, deaths]: readonly string[]): Task {
  return { unit, id, due: Number(due), tries: Number(tries), deaths: Number(deaths) };
}

function toRows(texts: readonly string[], size: number): readonly (readonly string[])[] {
  const count = texts.length / size;
  return Array.from({ length: count }, (_, i) => texts.slice(size * i, size * (i + 1)));
}
