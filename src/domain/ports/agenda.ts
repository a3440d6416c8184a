import { encodeRecordName, type RecordName } from '../audit/damaged-record.ts';
import type { Call } from '../calls/call.ts';
import type { Group } from '../people/person.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/**
 * Priority of work that someone waits for: scheduled this long before it is due. So it overtakes a
 * backlog; among such work, the longest waiting comes first.
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

/** A unit of work: a task and the id of its subject. Only one worker at a time holds a key. */
export interface AgendaKey {
  readonly task: AgendaTask;
  /**
   * A thread's key (pump, say, heed), a call's id (run, expire, redraw, remind, escalate, stub,
   * callback), a digest message's id, which calls (reroute), which records (tidy), or a record's name
   * (damaged).
   */
  readonly id: string;
  /** The call's thread, if the id is a call's. */
  readonly thread?: ThreadKey;
}

/** A key to process when it is due. */
export interface Wake {
  readonly key: AgendaKey;
  readonly dueAt: number;
}

/**
 * A worker's right to a key until `expiresAt`. The fence is larger than all earlier ones of any
 * key.
 */
export interface Lease {
  readonly key: AgendaKey;
  readonly fence: number;
  readonly expiresAt: number;
  /** Claims that failed or whose worker died, since the last success. */
  readonly tries: number;
  /** Consecutive claims, up to the last one, whose worker died. */
  readonly deaths: number;
}

/** A hold on a thread for work outside the agenda. */
export interface ThreadVisit {
  /** Identifies the thread, or the unit held in its place. */
  readonly hold: ThreadFence;
  /** Runs work under the hold. */
  within<T>(work: () => Promise<T>): Promise<T>;
  leave(): Promise<void>;
}

/** The leased keys, and when the next key is due or its lease expires; undefined if none. */
export interface LeasedKeys {
  readonly leases: readonly Lease[];
  readonly next: number | undefined;
}

/** Proof of still holding a thread. Writes with an older fence are rejected. */
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
 * Keys with a due time, processed at least once. Every method is atomic. Callers pass times from
 * the injected clock.
 */
export interface Agenda {
  /**
   * Schedules keys; the earlier time wins. A key in progress gets one more pass. One in back-off
   * keeps its own time. Dead letters start afresh.
   */
  wake(wakes: readonly Wake[]): Promise<void>;
  /**
   * Leases up to `most` keys: those due longest, or whose lease expired (which counts as a try).
   * Also returns when the next one is due.
   */
  claim(now: number, leaseMs: number, most: number): Promise<LeasedKeys>;
  /**
   * Holds a key's thread while any visit is open, even if this process holds it already. Undefined
   * if another process has it.
   */
  openVisit(key: AgendaKey, leaseMs: number): Promise<ThreadVisit | undefined>;
  /** Runs a lease's work. What it reads of its thread stays cached while the thread is held. */
  within<T>(lease: Lease, work: () => Promise<T>): Promise<T>;
  /** Extends a lease; undefined if another worker has the key. */
  renew(lease: Lease, now: number, leaseMs: number): Promise<Lease | undefined>;
  /** Completes the work and resets its tries. Does nothing if the lease was lost. */
  finish(lease: Lease): Promise<void>;
  /** Postpones the work and counts a try. Does nothing if the lease was lost. */
  backOff(lease: Lease, dueAt: number, reason: string): Promise<void>;
  /** Postpones the work without counting a try. Does nothing if the lease was lost. */
  postpone(lease: Lease, dueAt: number): Promise<void>;
  /** Gives the work up, visibly, until it is woken. Does nothing if the lease was lost. */
  moveToDeadLetters(lease: Lease, now: number, reason: string): Promise<void>;
  /** When the next key is due or its lease expires; undefined if there is none. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Returns work that was given up, oldest first. Tasks may come from another version of the app.
   */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Returns those keys that will never be processed: not due, not leased, not given up. */
  unscheduled(keys: readonly AgendaKey[]): Promise<readonly AgendaKey[]>;
}

export const advanceTurnKey = (thread: ThreadKey): AgendaKey => ({ task: 'pump', id: thread });
export const deliverOutboxKey = (thread: ThreadKey): AgendaKey => ({ task: 'say', id: thread });
export const threadCommandsKey = (thread: ThreadKey): AgendaKey => ({ task: 'heed', id: thread });

/** The fields of a call that make up a key. */
export type CallRef = Pick<Call, 'id' | 'thread'>;

const callKey = (task: AgendaTask, { id, thread }: CallRef): AgendaKey => ({ task, id, thread });
export const runCallKey = (call: CallRef): AgendaKey => callKey('run', call);
export const expireKey = (call: CallRef): AgendaKey => callKey('expire', call);
export const remindKey = (call: CallRef): AgendaKey => callKey('remind', call);
export const escalateKey = (call: CallRef): AgendaKey => callKey('escalate', call);
/** A user group, or the members of a channel, in a workspace. */
export interface TeamGroup {
  readonly team: string;
  readonly group: Group;
}

/**
 * Key for rechecking pending calls: all, or those whose route names a group. `after` is the last
 * call checked.
 */
export function rerouteKey(which: 'all' | TeamGroup, after = ''): AgendaKey {
  const { group, team } = which === 'all' ? { group: 'all', team: '' } : which;
  return { task: 'reroute', id: `${group} ${team} ${after}` };
}

/** Reads the id of a reroute key. */
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
export const renderDigestKey = (digestMessage: string): AgendaKey => ({
  task: 'bulletin',
  id: digestMessage,
});
export const damagedRecordKey = (record: RecordName): AgendaKey => ({
  task: 'damaged',
  id: encodeRecordName(record),
});
