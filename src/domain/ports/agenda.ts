import { encodeRecordName, type RecordName } from '../audit/damaged-record.ts';
import type { Call } from '../calls/call.ts';
import type { Group } from '../policy/route.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/**
 * How far before its time work is due that somebody waits for: it goes ahead of what has piled up,
 * and among its like the longest waiting goes first.
 */
export const PRIORITY_LEAD_MS = 86_400_000;

export type AgendaTask =
  | 'pump'
  | 'run'
  | 'expire'
  | 'redraw'
  | 'say'
  | 'heed'
  | 'remind'
  | 'escalate'
  | 'reroute'
  | 'stub'
  | 'bulletin'
  | 'callback'
  | 'tidy'
  | 'damaged';

/** What is to be done: a task and the id of what it is done to. One worker at a time has a key. */
export interface AgendaKey {
  readonly task: AgendaTask;
  /** A thread's key (pump, say, heed), a call's id (run, expire, redraw, remind, escalate, stub, callback), a bulletin's, which calls (reroute), which records (tidy), or a record's name (damaged). */
  readonly id: string;
  /** The thread of the call, where it is one. */
  readonly thread?: ThreadKey;
}

/** A key that is to be looked at when its time has come. */
export interface Wake {
  readonly key: AgendaKey;
  readonly dueAt: number;
}

/** A worker's right to a key until `expiresAt`; the fence is larger than every earlier one of any key. */
export interface Lease {
  readonly key: AgendaKey;
  readonly fence: number;
  readonly expiresAt: number;
  /** How many claims of this work ended in a failure or in the worker's death, since it last succeeded. */
  readonly tries: number;
  /** How many of its claims in a row ended in the worker's death, the last one among them. */
  readonly deaths: number;
}

/** A hold on a thread beside the work that is done in it. */
export interface ThreadVisit {
  /** Named by the thread, or by what is held in place of one. */
  readonly hold: ThreadFence;
  /** Does something under it. */
  within<T>(work: () => Promise<T>): Promise<T>;
  leave(): Promise<void>;
}

/** What was leased, and when the next key is due or its lease runs out after that; undefined when there is none. */
export interface LeasedKeys {
  readonly leases: readonly Lease[];
  readonly next: number | undefined;
}

/** Proof that the bearer still has a thread: writes of an older one are refused. */
export interface ThreadFence {
  readonly thread: ThreadKey;
  readonly token: number;
}

/** Work that was given up after too many tries. */
export interface DeadLetter {
  readonly key: AgendaKey;
  readonly reason: string;
  readonly at: number;
}

/**
 * Keys with a due time, done at least once. Every method is atomic. Times are the caller's, from
 * the injected clock.
 */
export interface Agenda {
  /**
   * Sees to it that the key is looked at, at the earlier of the two times. During the work it
   * causes one more pass; during a back-off it runs at its own time; parked work starts afresh.
   */
  wake(wakes: readonly Wake[]): Promise<void>;
  /** Leases `most` keys at most, those that have been due longest, or whose worker let its lease run out (one more try); none when none is due. Tells what is left. */
  claim(now: number, leaseMs: number, most: number): Promise<LeasedKeys>;
  /** Holds the thread of a key as long as somebody is in it, be it held by this process already; undefined where another has it. */
  openVisit(key: AgendaKey, leaseMs: number): Promise<ThreadVisit | undefined>;
  /** Does the work of a lease: what it reads of its thread is kept in memory as long as the thread is held. */
  within<T>(lease: Lease, work: () => Promise<T>): Promise<T>;
  /** Extends a lease; undefined when another worker has the key. */
  renew(lease: Lease, now: number, leaseMs: number): Promise<Lease | undefined>;
  /** Ends the work well; tries start anew. Nothing happens when the lease was lost. */
  finish(lease: Lease): Promise<void>;
  /** Puts the work off, one more try counted. Nothing happens when the lease was lost. */
  backOff(lease: Lease, dueAt: number, reason: string): Promise<void>;
  /** Puts the work off as it stands: no try is counted. Nothing happens when the lease was lost. */
  postpone(lease: Lease, dueAt: number): Promise<void>;
  /** Gives the work up, visibly, until somebody wakes it. Nothing happens when the lease was lost. */
  moveToDeadLetters(lease: Lease, now: number, reason: string): Promise<void>;
  /** When the next key is due or its lease runs out; undefined when there is none. */
  nextDueAt(): Promise<number | undefined>;
  /** What was given up, longest ago first; the task of a key may be one of another version, which this one does not know. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Those of the keys that nobody will ever look at: neither due at any time, nor under a lease, nor parked. */
  unscheduled(keys: readonly AgendaKey[]): Promise<readonly AgendaKey[]>;
}

export const advanceTurnKey = (thread: ThreadKey): AgendaKey => ({ task: 'pump', id: thread });
export const deliverOutboxKey = (thread: ThreadKey): AgendaKey => ({ task: 'say', id: thread });
export const threadCommandsKey = (thread: ThreadKey): AgendaKey => ({ task: 'heed', id: thread });

/** What a key of a call is made of. */
export type CallRef = Pick<Call, 'id' | 'thread'>;

const callKey = (task: AgendaTask, { id, thread }: CallRef): AgendaKey => ({ task, id, thread });
export const runCallKey = (call: CallRef): AgendaKey => callKey('run', call);
export const expireKey = (call: CallRef): AgendaKey => callKey('expire', call);
export const remindKey = (call: CallRef): AgendaKey => callKey('remind', call);
export const escalateKey = (call: CallRef): AgendaKey => callKey('escalate', call);
/** A user group, or the members of a channel, of a workspace. */
export interface TeamGroup {
  readonly team: string;
  readonly group: Group;
}

/** Waiting calls are to be looked at again: all of them, or those whose route names a group; `after` is the call that was looked at last. */
export function rerouteKey(which: 'all' | TeamGroup, after = ''): AgendaKey {
  const { group, team } = which === 'all' ? { group: 'all', team: '' } : which;
  return { task: 'reroute', id: `${group} ${team} ${after}` };
}

/** Reads the id of such a key. */
export function readRerouteId(id: string): {
  readonly group?: TeamGroup;
  readonly after?: string;
} {
  const [group = '', team = '', after = ''] = id.split(' ');
  return {
    ...(group !== 'all' && { group: { team, group: group as Group } }),
    ...(after !== '' && { after }),
  };
}

export const renderCardKey = (call: CallRef): AgendaKey => callKey('redraw', call);
export const retentionKey = (what: 'audit' | 'history'): AgendaKey => ({ task: 'tidy', id: what });
export const callbackKey = (call: CallRef): AgendaKey => callKey('callback', call);
export const renderStubKey = (call: CallRef): AgendaKey => callKey('stub', call);
export const renderDigestKey = (bulletin: string): AgendaKey => ({
  task: 'bulletin',
  id: bulletin,
});
export const damagedRecordKey = (record: RecordName): AgendaKey => ({
  task: 'damaged',
  id: encodeRecordName(record),
});
