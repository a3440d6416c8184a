/**
 * Durable state, as ports. Every method is atomic, its effects (audit, wakes, outbox messages)
 * included. A write with a thread's fence throws `StaleFenceError`, and does nothing, if a newer
 * worker holds the thread.
 */

import type { AuditDraft, AuditEntry } from '../audit/audit.ts';
import type { AuditFault, AuditReport } from '../audit/audit-check.ts';
import type { Call, CallStatus, CardPlace, SideMessage } from '../calls/call.ts';
import type { Step } from '../calls/transitions.ts';
import type { DigestMessages } from '../cards/digest-message.ts';
import type { ApiKey } from '../people/api-key.ts';
import type { Group, Person } from '../people/person.ts';
import type { AdminRoutes } from '../policy/admin-routes.ts';
import type { RequestedDecider } from '../rules/requested-deciders.ts';
import type { InboxMessage, Rating, SettledTurn } from '../threads/message.ts';
import type { OutboxMessage } from '../threads/outbox-message.ts';
import type { Pause } from '../threads/pause.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { TurnRecord } from '../threads/turn-record.ts';
import type { Pin } from '../tools/tool-pin.ts';
import type { Agenda, AgendaKey, ThreadFence, Wake } from './agenda.ts';
import type { Checkpoints } from './agent.ts';
import type { Drafts } from './drafts.ts';
import type { ProgressReports } from './progress-reports.ts';
import type { TurnRecords } from './turn-records.ts';

/** How a message ended: it started a turn, answered waiting calls, or was answered by the app. */
export type MessageEnd = 'turn' | 'reply' | 'answered';

/** The revisions that a decision has read, by record. */
export type ReadRevisions = ReadonlyMap<string, { readonly revision: number }>;

/** Written together with a change. An outbox message with a known id is not overwritten. */
export interface Effects {
  readonly audit?: readonly AuditDraft[];
  readonly wakes?: readonly Wake[];
  /** Tasks that are no longer needed. One that a worker has taken is not affected. */
  readonly cancels?: readonly AgendaKey[];
  readonly outboxMessages?: readonly OutboxMessage[];
  /** Messages that end with this change. Those already ended are unchanged. */
  readonly messageEnds?: readonly { readonly id: string; readonly how: MessageEnd }[];
  /** Calls whose outcomes are now delivered. Unknown ids are ignored. */
  readonly delivered?: readonly string[];
  /** Messages of turns in progress. Known positions are not overwritten. */
  readonly turnRecords?: readonly TurnRecord[];
  /** The graph state that led to this change. */
  readonly checkpoint?: { readonly thread: ThreadKey; readonly state: string } | undefined;
}

/** A page of at most `limit` entries, from the start or after the call `before`. */
type PageBefore = { readonly before?: string | undefined; readonly limit: number };

/** The calls: the only source of truth about them, and the only lock on running one. */
export interface Ledger {
  /**
   * Inserts a proposed call and its first steps unless its id or key (thread, message, tool call)
   * is known. Returns the stored call. Effects only with an insert. External calls have no fence.
   */
  propose(
    call: Call,
    effects: Effects,
    fence?: ThreadFence,
    steps?: readonly Step[],
  ): Promise<Call>;
  /** Replaces `before` by the last step's call. False if it or `seen` is outdated. */
  write(
    before: Call,
    steps: readonly Step[],
    effects: Effects,
    seen?: ReadRevisions,
    fence?: ThreadFence,
  ): Promise<boolean>;
  get(id: string): Promise<Call | undefined>;
  /** Calls of a thread or turn, by creation and position. (Default: rejects damaged ones.) */
  ofThread(
    thread: ThreadKey,
    turn?: string,
    damaged?: 'leave-out' | 'reject',
  ): Promise<readonly Call[]>;
  /** Marks outcomes as delivered. Ignores unknown ids and, with a fence, those of other threads. */
  markDelivered(ids: readonly string[], fence?: ThreadFence): Promise<void>;
  /** Stores the card's place, apart from the call so that it never conflicts with a decision. */
  placeCard(callId: string, place: CardPlace): Promise<void>;
  cardOf(callId: string): Promise<CardPlace | undefined>;
  /** Stores the place of another message of the call; undefined deletes it. */
  placeSideMessage(callId: string, side: SideMessage, place: CardPlace | undefined): Promise<void>;
  sideMessagesOf(callId: string): Promise<Readonly<Partial<Record<SideMessage, CardPlace>>>>;
  /** A person's calls of one tool since a time (ms), in all threads, oldest first. */
  ofRequester(requester: Person, tool: string, since: number): Promise<readonly Call[]>;
  /** Number of a person's pending calls, in all threads. */
  countPending(requester: Person): Promise<number>;
  /** Number of pending calls made with a program's key. */
  countPendingOfKey(key: string): Promise<number>;
  /** Groups from whom a call in the workspace requests a decision now. */
  groupsAskedToDecide(team: string): Promise<readonly Group[]>;
  /** Calls that request a decision from any of these, oldest first, from the one after `after`. */
  askingAnyOf(
    team: string,
    asked: readonly RequestedDecider[],
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Call[]>;
  /** A person's calls, ended or open, newest first. */
  requestedBy(
    requester: Person,
    page: PageBefore & { readonly isOver: boolean },
  ): Promise<readonly Call[]>;
  /** Calls that a person decided on since a time (ms), latest decision first. */
  decidedBy(
    person: Person,
    page: PageBefore & { readonly since: number },
  ): Promise<readonly Call[]>;
  /** All calls, or those of one program's key, newest first. */
  newest(page: PageBefore & { readonly key?: string | undefined }): Promise<readonly Call[]>;
  /** Calls with one status, oldest first. A page follows the call `after`. */
  withStatus(
    status: CallStatus,
    page?: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Call[]>;
  /** Number of calls per status. */
  count(): Promise<Readonly<Partial<Record<Call['status'], number>>>>;
}

/** Messages acknowledged to Slack. */
export interface Inbox {
  /** Stores a waiting message unless its id is known. Effects only with an insert. */
  receive(message: InboxMessage, effects: Effects): Promise<'new' | 'known'>;
  /** Whether any message of the thread was ever received. */
  hasThread(thread: ThreadKey): Promise<boolean>;
  /** Returns those ids whose messages were ever received. */
  received(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The message whose turn is in progress. */
  current(thread: ThreadKey): Promise<InboxMessage | undefined>;
  /** Waiting messages, oldest first by `ts`. */
  waiting(thread: ThreadKey): Promise<readonly InboxMessage[]>;
  /** Messages with a turn in progress, in a workspace or channel, child threads included. */
  ongoing(place: {
    readonly team: string;
    readonly channel?: string;
  }): Promise<readonly InboxMessage[]>;
  /** Threads that have a current or a waiting message. */
  threadsWithMessages(): Promise<readonly ThreadKey[]>;
  /** Marks the current message `id` as stopped; false if it is not current or already marked. */
  stop(id: string, by: Person, at: number, effects: Effects): Promise<boolean>;
  /** Makes a waiting message current; false if it is not waiting or another one is current. */
  begin(id: string, effects: Effects, fence: ThreadFence): Promise<boolean>;
  /** Ends a current or waiting message; false if it had ended. */
  end(id: string, how: MessageEnd, effects: Effects, fence: ThreadFence): Promise<boolean>;
}

/** Completed turns. */
export interface History {
  /** Appends a turn unless its id is known. Removes the thread's turn records and checkpoint. */
  append(thread: ThreadKey, turn: SettledTurn, effects: Effects, fence: ThreadFence): Promise<void>;
  /** The newest turns, newest first, after the first `skip`. */
  newest(thread: ThreadKey, limit: number, skip: number): Promise<readonly SettledTurn[]>;
  has(thread: ThreadKey, turnId: string): Promise<boolean>;
  /** Stores a person's latest rating; false, without effects, if the thread has no such turn. */
  rate(thread: ThreadKey, turnId: string, rating: Rating, effects: Effects): Promise<boolean>;
  /** The ratings of a turn, oldest first. */
  ratings(thread: ThreadKey, turnId: string): Promise<readonly Rating[]>;
  /** Deletes completed turns and ratings of a thread and its children. Returns their number. */
  clear(thread: ThreadKey, effects: Effects): Promise<number>;
  /** Root threads inactive since before a time (ms), longest first, after the first `skip`. */
  inactiveThreads(
    before: number,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<readonly UntouchedThread[]>;
  /**
   * Removes everything stored of a thread and its child threads. Only the ids of received messages
   * stay known. False, without effects, if the thread changed since or has open work.
   */
  remove(found: UntouchedThread, effects: Effects): Promise<boolean>;
  /** Up to `limit` calls of channels themselves that ended before a time (ms), unordered. */
  endedChannelCalls(before: number, limit: number): Promise<readonly Call[]>;
  /** Removes such calls and their cards; false, without effects, if one of them is missing. */
  removeCalls(calls: readonly Call[], effects: Effects): Promise<boolean>;
}

/** An inactive thread, with the amount stored for it and its child threads. */
export interface UntouchedThread {
  readonly thread: ThreadKey;
  /** When it last changed. */
  readonly touchedAt: number;
  readonly turns: number;
  readonly calls: number;
}

/** Messages yet to be posted. */
export interface Outbox {
  add(all: readonly OutboxMessage[], wakes: readonly Wake[], fence?: ThreadFence): Promise<void>;
  /** Unsent messages, in the order added. */
  pendingMessages(thread: ThreadKey): Promise<readonly OutboxMessage[]>;
  markSent(id: string): Promise<void>;
  /** Threads with unsent messages. */
  threadsWithPendingMessages(): Promise<readonly ThreadKey[]>;
  /** Stores the place of the thread's live message (empty `ts`: unknown); undefined deletes it. */
  placeLiveMessage(thread: ThreadKey, place: CardPlace | undefined): Promise<void>;
  liveMessageOf(thread: ThreadKey): Promise<CardPlace | undefined>;
}

/** Whether anything new may run. */
export interface PauseSwitch {
  read(): Promise<Pause | undefined>;
  /** Sets or (undefined) ends the pause; false, without effects, if nothing changed. */
  write(pause: Pause | undefined, effects: Effects): Promise<boolean>;
}

/** The routes that admins have set in Slack, as one document. */
export interface RouteBook {
  /** Empty before the first change. */
  read(): Promise<AdminRoutes>;
  /** Replaces the document of the previous revision; false, without effects, if outdated. */
  write(book: AdminRoutes, effects: Effects): Promise<boolean>;
}

/** The keys of programs. */
export interface Keys {
  /** Adds a key; false, without effects, if its id is known. */
  add(key: ApiKey, effects: Effects): Promise<boolean>;
  get(id: string): Promise<ApiKey | undefined>;
  /** All keys, revoked and expired ones included, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Replaces the key of the previous revision; false, without effects, if outdated. */
  change(key: ApiKey, effects: Effects): Promise<boolean>;
}

/** The accepted descriptions of MCP servers' tools. */
export interface Pins {
  /** All pins, by name. */
  all(): Promise<readonly Pin[]>;
  /** Adds a pin, or replaces the one with hash `before`; false, without effects, if outdated. */
  write(pin: Pin, before: string | undefined, effects: Effects): Promise<boolean>;
}

/** The audit log. */
export interface Audit {
  append(drafts: readonly AuditDraft[]): Promise<void>;
  /** At most `limit` entries from `fromSeq` on, without removed or forged ones. */
  read(fromSeq: number, limit: number): Promise<readonly AuditEntry[]>;
  /** The last sequence number; 0 if there was never an entry. */
  newest(): Promise<number>;
  /** Chains and seals new entries. Returns the fault that stops it, if any. */
  seal(now: number): Promise<AuditFault | undefined>;
  /** Checks every stored entry. */
  check(): Promise<AuditReport>;
  /** Removes and counts sealed entries older than a time (ms). Stops at a forged one. */
  removeOlder(before: number, now: number): Promise<number>;
}

/** All ports of one backend. */
export interface Store {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly turnRecords: TurnRecords;
  readonly history: History;
  /** States of our own graph. */
  readonly checkpoints: Checkpoints;
  readonly outbox: Outbox;
  readonly agenda: Agenda;
  readonly audit: Audit;
  readonly pause: PauseSwitch;
  readonly routes: RouteBook;
  readonly pins: Pins;
  readonly drafts: Drafts;
  readonly keys: Keys;
  readonly digestMessages: DigestMessages;
  readonly reports: ProgressReports;
  /** Runs work and returns the revisions it has read, since cached records may be outdated. */
  observe<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seen: ReadRevisions }>;
  /**
   * Reads what a thread, or a turn of it, needs first in one round trip. It is cached while the
   * thread is held. Failed reads are repeated where they are needed.
   */
  preload(thread: ThreadKey, turn?: string): Promise<void>;
  /** Runs work whose reads bypass the cache. */
  fresh<T>(work: () => Promise<T>): Promise<T>;
  /** Rejects, with the reason and the remedy, if the backend is not writable. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A write used an old fence: another worker holds the thread now. */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError';
}

/** The backend was unreachable, or its answer was lost. Retrying is safe: nothing is done twice. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** Whether the operation may have been done. */
  readonly fate: 'not-done' | 'unknown';

  constructor(message: string, fate: 'not-done' | 'unknown', options?: ErrorOptions) {
    super(message, options);
    this.fate = fate;
  }
}
