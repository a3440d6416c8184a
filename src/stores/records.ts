/**
 * The record store: everything durable is a record (key, revision, JSON text), found again by the
 * index entries that its repository computes. A backend implements `Records` and nothing else; it
 * knows nothing of calls, messages or cards. All order is byte order of UTF-8 text.
 */

/** `<kind>/<id>`, e.g. `call/8ZkQ…`. */
export type RecordKey = string;

/** A record as it is stored. `revision` is 0 and `document` empty where there is none. */
export interface StoredRecord {
  readonly key: RecordKey;
  readonly revision: number;
  readonly document: string;
}

/** Where a record is found: a partition of an index (`call.thread|T1/C1/1699.1`), and its place in that order. */
export interface IndexEntry {
  readonly partition: string;
  /** Holds no space: the record's key follows it after one. */
  readonly sort: string;
}

/** A change of one record; a commit that names a record twice is refused. */
export type RecordChange =
  /** Puts a document in place of the revision `replaces` (0: there must be none), with the difference that it makes to the index. */
  | {
      readonly key: RecordKey;
      readonly replaces: number;
      readonly document: string;
      /** The workspace that it belongs to, where it says so itself. (Default: the installation's; see `owned-records.ts`.) */
      readonly workspace?: string;
      readonly add?: readonly IndexEntry[];
      readonly drop?: readonly IndexEntry[];
    }
  /** Deletes it. A key that was deleted begins at revision 1 again, so ids must not return. */
  | {
      readonly key: RecordKey;
      readonly replaces: number;
      readonly isDeletion: true;
      readonly drop?: readonly IndexEntry[];
    }
  /** Writes nothing: the commit fails unless this is still the newest revision. */
  | { readonly key: RecordKey; readonly expects: number };

/** A hold on a unit of work: whoever was given the newest token of a unit has it. */
export interface Fence {
  readonly unit: string;
  readonly token: number;
}

/** A task that a lease handed out. One that is handed out is not due again until it is finished, put off or its holder dies. */
export interface Task {
  readonly unit: string;
  readonly id: string;
  readonly due: number;
  /** How often it failed, or its holder died, since it last succeeded. */
  readonly tries: number;
  /** How many of its holders in a row died, the last one among them. */
  readonly deaths: number;
}

export type TaskChange =
  /** Asks for it at a time (ms): at the earlier one where it is asked for already, once more where it is handed out, and afresh where it was parked. */
  | { readonly unit: string; readonly id: string; readonly askedFor: number }
  /** One that is handed out is done; what was asked for meanwhile stays. */
  | { readonly unit: string; readonly id: string; readonly isDone: true }
  /** It is not needed any more; one that is handed out stays. */
  | { readonly unit: string; readonly id: string; readonly isCalledOff: true }
  /** It is due again at a time (ms), or earlier if that was asked for meanwhile; `isFailure` counts a try. */
  | {
      readonly unit: string;
      readonly id: string;
      readonly putOffTo: number;
      readonly isFailure: boolean;
    }
  /** It is given up until somebody asks for it, or done afresh if somebody has. */
  | { readonly unit: string; readonly id: string; readonly isParked: true };

/** A unit of whoever commits: what the commit asks for there is handed out at once if it is due. */
export interface HeldUnit extends Fence {
  /** Tasks that were done before; one that was asked for meanwhile and is due is handed out again. */
  readonly done: readonly string[];
}

/** What is written together, or not at all. */
export interface Commit {
  /** Unguessable; the same for each repeat of this commit. */
  readonly id: string;
  /** `later`: nobody was promised it, and it can be found out again; it is durable with the next commit that waits. */
  readonly durable: 'now' | 'later';
  /** Units that the bearer must hold for it to be written. */
  readonly fences?: readonly Fence[];
  /** What goes with it in units that the bearer takes itself to hold; nothing where it does not any more. */
  readonly held?: {
    /** (ms) */
    readonly now: number;
    readonly units: readonly HeldUnit[];
  };
  /** Gives these units back with it, as `release` does. */
  readonly releases?: true;
  readonly records?: readonly RecordChange[];
  readonly tasks?: readonly TaskChange[];
  /** Texts; each gets the next number. */
  readonly audit?: readonly string[];
  /** Removes the audit entries up to this number. */
  readonly trimAudit?: number;
  /** Has every process that watches forget what it keeps in memory. */
  readonly tellsAll?: boolean;
}

export type Committed =
  /** `auditSeq`: the number of the last audit entry that it appended; 0 without one. `handedOut`: what it asked for in held units. */
  | { readonly kind: 'done'; readonly auditSeq: number; readonly handedOut: readonly Task[] }
  /** Nothing was written; these records are not what the caller took them for. */
  | { readonly kind: 'conflict'; readonly newer: readonly StoredRecord[] }
  /** Nothing was written: somebody else holds this unit, or nobody does. */
  | { readonly kind: 'stale'; readonly unit: string };

/** A page of an index partition: what comes after (or, backwards, before) a place. */
export interface Page {
  readonly partition: string;
  /** The `at` of the last item of the page before. */
  readonly after?: string | undefined;
  readonly isBackwards?: boolean;
  /** Only places that begin with this. */
  readonly prefix?: string | undefined;
  /** At most 1,000. */
  readonly limit: number;
}

export interface FoundRecord extends StoredRecord {
  /** Its place in the partition: sort, space, key. */
  readonly at: string;
}

/** A unit that was leased, with the tasks that are handed out, longest due first. */
export interface Hold extends Fence {
  readonly until: number;
  readonly tasks: readonly Task[];
  /** When the next of its tasks is due that is not handed out; absent without one. */
  readonly next?: number;
}

export interface Leased {
  readonly holds: readonly Hold[];
  /** When there is something to be leased again: the earliest due time of a free unit, or the end of a lease; undefined when nothing is planned. */
  readonly next?: number;
}

export interface AuditRow {
  readonly seq: number;
  readonly entry: string;
}

/** How a task stands that is not done. */
export type TaskState = 'due' | 'handed-out' | 'parked';

/** One backend. Every method is atomic; times (ms) are the caller's. */
export interface Records {
  /** In the order of the keys. */
  get(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]>;
  range(page: Page): Promise<readonly FoundRecord[]>;
  /** How many entries each partition has. */
  count(partitions: readonly string[]): Promise<readonly number[]>;
  /** Repeating a commit whose answer was lost changes nothing and answers the same. `onWritten` is called once it is written, in the order of the commits, before it is durable. */
  commit(commit: Commit, onWritten?: () => void): Promise<Committed>;
  /** Resolves when the promised commits that wrote any of these records or partitions are durable; `onWritten` may have told of them before. */
  whenDurable(names: readonly string[]): Promise<void>;
  /** Leases free units in which something is due, longest first, or a free one by name, be anything due in it or not. */
  lease(
    now: number,
    leaseMs: number,
    want: { readonly most: number } | { readonly unit: string },
  ): Promise<Leased>;
  /** Prolongs holds and hands out what has become due in them; those that were lost are missing in the answer. */
  renew(holds: readonly Fence[], now: number, leaseMs: number): Promise<readonly Hold[]>;
  /** Gives a unit back; what was handed out and is not done is due again, without a try. Nothing happens when it was lost. */
  release(hold: Fence): Promise<void>;
  /** How tasks stand; undefined for those that nobody will ever do. */
  stateOf(tasks: readonly Pick<Task, 'unit' | 'id'>[]): Promise<readonly (TaskState | undefined)[]>;
  /** Audit entries from a number on, in their order. */
  audit(from: number, limit: number): Promise<readonly AuditRow[]>;
  /** The number of the entry that was appended last; 0 when there never was one. */
  newestAudit(): Promise<number>;
  /** Calls the listener after commits that asked for tasks, with their units and whether they were made here; a call may be lost, and one without units tells so. Answers how to stop that. */
  watch(
    listener: (units: readonly string[] | undefined, isOwn: boolean) => void,
  ): Promise<() => void>;
  close(): Promise<void>;
}

/** The most that one page holds. */
export const MAX_PAGE_SIZE = 1_000;

/** Returns what a change of a record's entries adds to and drops from the index. */
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

/** Sorts behind whatever may follow a text. */
export const SORTS_LAST = '\u{10ffff}';

/** Writes a time (ms) so that texts sort as times do, until the year 2286. */
export function sortTime(ms: number): string {
  return String(Math.max(0, Math.trunc(ms))).padStart(13, '0');
}
