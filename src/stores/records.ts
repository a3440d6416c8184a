/**
 * The record store. Everything durable is a record: key, revision and JSON text, found by the index
 * entries that its repository computes. A backend implements `Records` and knows nothing of calls,
 * messages or cards. All order is byte order of UTF-8 text.
 */
import { randomBytes } from 'node:crypto';

/** `<kind>/<id>`, e.g. `call/8ZkQ…`. */
export type RecordKey = string;

/** A stored record. If there is none, `revision` is 0 and `document` is empty. */
export interface StoredRecord {
  readonly key: RecordKey;
  readonly revision: number;
  readonly document: string;
}

/** Where a record is found: an index partition (`call.thread|T1/C1/1699.1`) and a sort key in it. */
export interface IndexEntry {
  readonly partition: string;
  /** Must not contain a space, which separates it from the record's key. */
  readonly sort: string;
}

/** A change of one record. A commit may name each record once. */
export type RecordChange =
  /** Replaces revision `replaces` (0: creates the record), with the changes of its index entries. */
  | {
      readonly key: RecordKey;
      readonly replaces: number;
      readonly document: string;
      /** Its workspace, if the document sets it itself. (Default: the installation's; see `owned-records.ts`.) */
      readonly workspace?: string;
      readonly add?: readonly IndexEntry[];
      readonly drop?: readonly IndexEntry[];
    }
  /** Deletes the record. A deleted key restarts at revision 1, so ids must not be reused. */
  | {
      readonly key: RecordKey;
      readonly replaces: number;
      readonly isDeletion: true;
      readonly drop?: readonly IndexEntry[];
    }
  /** Writes nothing: the commit fails unless this is the current revision. */
  | { readonly key: RecordKey; readonly expects: number };

/** Proof of holding a unit: the owner is the holder of its newest token. */
export interface Fence {
  readonly unit: string;
  readonly token: number;
}

/** A task that a lease handed out. It is not due again until it is finished or postponed, or its holder dies. */
export interface Task {
  readonly unit: string;
  readonly id: string;
  readonly due: number;
  /** Failures and holder deaths since it last succeeded. */
  readonly tries: number;
  /** Consecutive holder deaths up to now. */
  readonly deaths: number;
}

export type TaskChange =
  /** Schedules it (ms); an earlier time wins. A handed-out task runs once more, a parked one starts afresh. */
  | { readonly unit: string; readonly id: string; readonly askedFor: number }
  /** Finishes a handed-out task; a time scheduled meanwhile stays. */
  | { readonly unit: string; readonly id: string; readonly isDone: true }
  /** Cancels a task; a handed-out one stays. */
  | { readonly unit: string; readonly id: string; readonly isCalledOff: true }
  /** Postpones it to a time (ms), or to an earlier one scheduled meanwhile; `isFailure` counts a try. */
  | {
      readonly unit: string;
      readonly id: string;
      readonly putOffTo: number;
      readonly isFailure: boolean;
    }
  /** Parks it until somebody schedules it again, or restarts it if somebody already has. */
  | { readonly unit: string; readonly id: string; readonly isParked: true };

/** A unit that the committer holds: due tasks that the commit schedules in it are handed out at once. */
export interface HeldUnit extends Fence {
  /** Finished tasks; those scheduled again meanwhile are handed out again if due. */
  readonly done: readonly string[];
}

/** Changes that are written atomically. */
export interface Commit {
  /** Unguessable; repeats of a commit reuse it. */
  readonly id: string;
  /** `later`: can be reconstructed after a loss, so nobody waits; durable with the next commit that is `now`. */
  readonly durable: 'now' | 'later';
  /** Units whose newest token the caller must hold, else nothing is written. */
  readonly fences?: readonly Fence[];
  /** For units that the caller believes to hold; ignored for those that it lost. */
  readonly held?: {
    /** Current time (ms). */
    readonly now: number;
    readonly units: readonly HeldUnit[];
  };
  /** Releases the fenced units in the same commit, like `release`. */
  readonly releases?: true;
  readonly records?: readonly RecordChange[];
  readonly tasks?: readonly TaskChange[];
  /** Entries to append; each gets the next number. */
  readonly audit?: readonly string[];
  /** Removes the audit entries up to this number. */
  readonly trimAudit?: number;
  /** Makes all watching processes drop their caches. */
  readonly tellsAll?: boolean;
}

export type Committed =
  /** `auditSeq`: number of the last appended audit entry, 0 if none. `handedOut`: tasks handed out in held units. */
  | { readonly kind: 'done'; readonly auditSeq: number; readonly handedOut: readonly Task[] }
  /** Nothing was written; these records differ from what the caller expected. */
  | { readonly kind: 'conflict'; readonly newer: readonly StoredRecord[] }
  /** Nothing was written: the caller no longer holds this unit. */
  | { readonly kind: 'stale'; readonly unit: string };

/** A page of an index partition: the entries after a position, or before it if backwards. */
export interface Page {
  readonly partition: string;
  /** The `at` of the previous page's last item. */
  readonly after?: string | undefined;
  readonly isBackwards?: boolean;
  /** Only positions with this prefix. */
  readonly prefix?: string | undefined;
  /** At most 1,000. */
  readonly limit: number;
}

export interface FoundRecord extends StoredRecord {
  /** Its position in the partition: sort key, space, record key. */
  readonly at: string;
}

/** A leased unit with its handed-out tasks, oldest due first. */
export interface Hold extends Fence {
  readonly until: number;
  readonly tasks: readonly Task[];
  /** When its next task is due that is not handed out; absent if none. */
  readonly next?: number;
}

export interface Leased {
  readonly holds: readonly Hold[];
  /** When to lease again: a free unit's earliest due time or the end of a lease; undefined if nothing is planned. */
  readonly next?: number;
}

export interface AuditRow {
  readonly seq: number;
  readonly entry: string;
}

/** State of an unfinished task. */
export type TaskState = 'due' | 'handed-out' | 'parked';

/** One backend. Every method is atomic; the caller supplies all times (ms). */
export interface Records {
  /** Returns one record per key, in the same order. */
  get(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]>;
  range(page: Page): Promise<readonly FoundRecord[]>;
  /** Counts the entries of each partition. */
  count(partitions: readonly string[]): Promise<readonly number[]>;
  /** Idempotent: repeating a commit returns the first result. Calls `onWritten` once written, in commit order, before it is durable. */
  commit(commit: Commit, onWritten?: () => void): Promise<Committed>;
  /** Resolves once the `now` commits that wrote any of these records or partitions are durable; `onWritten` may have run before. */
  whenDurable(names: readonly string[]): Promise<void>;
  /** Leases free units with due tasks, oldest due first; or one free unit by name, due or not. */
  lease(
    now: number,
    leaseMs: number,
    want: { readonly most: number } | { readonly unit: string },
  ): Promise<Leased>;
  /** Extends holds and hands out their due tasks. Lost holds are missing from the result. */
  renew(holds: readonly Fence[], now: number, leaseMs: number): Promise<readonly Hold[]>;
  /** Releases a unit; its unfinished tasks are due again, without counting a try. No-op if the hold was lost. */
  release(hold: Fence): Promise<void>;
  /** States of tasks; undefined for those that are not scheduled. */
  stateOf(tasks: readonly Pick<Task, 'unit' | 'id'>[]): Promise<readonly (TaskState | undefined)[]>;
  /** Audit entries from a number on, in order. */
  audit(from: number, limit: number): Promise<readonly AuditRow[]>;
  /** Number of the last appended entry; 0 if there never was one. */
  newestAudit(): Promise<number>;
  /**
   * Calls the listener after commits that scheduled tasks, with their units and whether this process
   * made them. Wake-ups may get lost; undefined units mean that some were. Returns how to stop.
   */
  watch(
    listener: (units: readonly string[] | undefined, isOwn: boolean) => void,
  ): Promise<() => void>;
  close(): Promise<void>;
}

/** Returns a new id for a commit. */
export function newCommitId(): string {
  return randomBytes(12).toString('base64url');
}

/** The records that changes write, and the index partitions that they change. */
export function changedNames(changes: readonly RecordChange[]): readonly string[] {
  return changes.flatMap((change) => {
    if ('expects' in change) return [];
    const added = 'isDeletion' in change ? [] : (change.add ?? []);
    return [change.key, ...[...added, ...(change.drop ?? [])].map(({ partition }) => partition)];
  });
}

/** Throws if a commit names a record twice, since its expected revision would be ambiguous. */
export function assertUniqueRecords(changes: readonly RecordChange[]): void {
  const keys = new Set(changes.map(({ key }) => key));
  if (keys.size === changes.length) return;
  const names = changes.map(({ key }) => key).join(', ');
  throw new Error(`A commit names a record twice: ${names}.`);
}

/** Largest allowed page. */
export const MAX_PAGE_SIZE = 1_000;

/** Returns the index changes between two sets of entries. */
export function entriesDiff(
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
): { readonly add: readonly IndexEntry[]; readonly drop: readonly IndexEntry[] } {
  const nameOf = ({ partition, sort }: IndexEntry) => `${partition} ${sort}`;
  const had = new Set(before.map(nameOf));
  const has = new Set(after.map(nameOf));
  return {
    add: after.filter((each) => !had.has(nameOf(each))),
    drop: before.filter((each) => !has.has(nameOf(each))),
  };
}

/** Sorts after any continuation of a text. */
export const SORTS_LAST = '\u{10ffff}';

/** Formats a time (ms) so that texts sort like times, until the year 2286. */
export function sortTime(ms: number): string {
  return String(Math.max(0, Math.trunc(ms))).padStart(13, '0');
}
