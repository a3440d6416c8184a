/**
 * What must survive a crash, as ports. Every method is atomic: what it says happens whole or not
 * at all, its effects (audit, wakes, things to say) included. A write that carries a thread's fence
 * does nothing and throws `StaleFenceError` when a younger worker has the thread.
 */

import type { AuditDraft, AuditEntry } from '../audit/audit.ts';
import type { AuditFault, AuditReport } from '../audit/audit-check.ts';
import type { Call, CallStatus, CardPlace, SideMessage } from '../calls/call.ts';
import type { Step } from '../calls/transitions.ts';
import type { DigestMessages } from '../cards/digest-message.ts';
import type { ProgressReports } from '../cards/progress-report.ts';
import type { ApiKey } from '../people/api-key.ts';
import type { Person } from '../people/person.ts';
import type { RequestedDecider } from '../people/requested-deciders.ts';
import type { AdminRoutes } from '../policy/admin-routes.ts';
import type { Group } from '../policy/route.ts';
import type { InboxMessage, Rating, SettledTurn } from '../threads/message.ts';
import type { OutboxMessage } from '../threads/outbox-message.ts';
import type { Pause } from '../threads/pause.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { TurnRecord, TurnRecords } from '../threads/turn-record.ts';
import type { Pin } from '../tools/tool-pin.ts';
import type { Agenda, ThreadFence, Wake } from './agenda.ts';
import type { Checkpoints } from './agent.ts';

/** What became of a message: the turn it began, a reply to waiting calls, or an answer of ours. */
export type MessageEnd = 'turn' | 'reply' | 'answered';

/** What a decision has read, by the revisions that it found. */
export type ReadRevisions = ReadonlyMap<string, { readonly revision: number }>;

/** What is written together with a change. A say whose id is known is left as it is. */
export interface Effects {
  readonly audit?: readonly AuditDraft[];
  readonly wakes?: readonly Wake[];
  readonly says?: readonly OutboxMessage[];
  /** Messages that end with this change; one that had ended stays as it was. */
  readonly messageEnds?: readonly { readonly id: string; readonly how: MessageEnd }[];
  /** Calls whose outcomes are taken with it; those that are not there are passed over. */
  readonly delivered?: readonly string[];
  /** Messages of turns in progress; a position that is known stays as it was. */
  readonly records?: readonly TurnRecord[];
  /** The state of the graph that has led to it. */
  readonly checkpoint?: { readonly thread: ThreadKey; readonly state: string } | undefined;
}

/** Which page of a list: `limit` at most, from its start, or after the call `before`. */
type PageBefore = { readonly before?: string | undefined; readonly limit: number };

/** The calls: the only truth about them, and the only lock on running one. */
export interface Ledger {
  /** Inserts a proposed call, with the steps that it takes at once, unless its id, or its key (thread, message id, tool call id), is known; returns the stored one. Effects happen with an insert only. A call from outside comes without a fence: no worker has its thread. */
  propose(
    call: Call,
    effects: Effects,
    fence?: ThreadFence,
    steps?: readonly Step[],
  ): Promise<Call>;
  /** Replaces `before` by the last step's call, if `before` is still the newest revision, and what was seen is as it was; false when another writer was first. Throws for a step that the table of the call's life lacks. */
  write(
    before: Call,
    steps: readonly Step[],
    effects: Effects,
    seen?: ReadRevisions,
    fence?: ThreadFence,
  ): Promise<boolean>;
  get(id: string): Promise<Call | undefined>;
  /** Calls of one thread, optionally of one turn, in the order of their creation and position. Damaged ones are left out, or the answer is a rejection. (Default: it is.) */
  ofThread(
    thread: ThreadKey,
    turn?: string,
    damaged?: 'leave-out' | 'reject',
  ): Promise<readonly Call[]>;
  /** Marks outcomes as taken; unknown ids are passed over, and with a fence those of another thread. */
  markDelivered(ids: readonly string[], fence?: ThreadFence): Promise<void>;
  /** Remembers where the card stands; apart from the call, so that no decision is lost to it. */
  placeCard(callId: string, place: CardPlace): Promise<void>;
  cardOf(callId: string): Promise<CardPlace | undefined>;
  /** Remembers where another message of the call stands; undefined forgets it. */
  placeSideMessage(callId: string, side: SideMessage, place: CardPlace | undefined): Promise<void>;
  sideMessagesOf(callId: string): Promise<Readonly<Partial<Record<SideMessage, CardPlace>>>>;
  /** A person's calls of one tool that were made at a time (ms) or later, in all threads, oldest first. */
  ofRequester(requester: Person, tool: string, since: number): Promise<readonly Call[]>;
  /** How many calls of a person wait for a decision, in all threads. */
  countPending(requester: Person): Promise<number>;
  /** How many calls that a program asked for with this key wait for a decision. */
  countPendingOfKey(key: string): Promise<number>;
  /** Groups of which some call of a workspace asks a decision now. */
  groupsAskedToDecide(team: string): Promise<readonly Group[]>;
  /** Calls of a workspace that ask a decision of any of these now, each once, oldest first; a page holds at most `limit` of them, those that came after the call `after`. */
  askingAnyOf(
    team: string,
    asked: readonly RequestedDecider[],
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Call[]>;
  /** A person's calls of all tools that are over, or those that are not, newest first; a page holds at most `limit` of them, those that came before the call `before`. */
  requestedBy(
    requester: Person,
    page: PageBefore & { readonly isOver: boolean },
  ): Promise<readonly Call[]>;
  /** Calls on which a person has decided at a time (ms) or later, the last decision first; a page holds at most `limit` of them, those that come after the call `before`. */
  decidedBy(
    person: Person,
    page: PageBefore & { readonly since: number },
  ): Promise<readonly Call[]>;
  /** All calls, or those that a program asked for with one key, newest first; a page holds at most `limit` of them, those that came before the call `before`. */
  newest(page: PageBefore & { readonly key?: string | undefined }): Promise<readonly Call[]>;
  /** Calls with one status, oldest first; a page holds at most `limit` of them, those that came after the call `after`. */
  withStatus(
    status: CallStatus,
    page?: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Call[]>;
  /** How many calls have each status. */
  count(): Promise<Readonly<Partial<Record<Call['status'], number>>>>;
}

/** Messages that Slack was told we have. */
export interface Inbox {
  /** Inserts a message as waiting unless its id is known. Effects happen with an insert only. */
  receive(message: InboxMessage, effects: Effects): Promise<'new' | 'known'>;
  /** Tells whether any message of the thread was ever received. */
  hasThread(thread: ThreadKey): Promise<boolean>;
  /** Tells which of these ids are of messages that were ever received. */
  received(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The message whose turn is going on. */
  current(thread: ThreadKey): Promise<InboxMessage | undefined>;
  /** Waiting messages, oldest first by `ts`. */
  waiting(thread: ThreadKey): Promise<readonly InboxMessage[]>;
  /** Messages whose turn is going on in a workspace or one of its channels, those of child threads included. */
  ongoing(place: {
    readonly team: string;
    readonly channel?: string;
  }): Promise<readonly InboxMessage[]>;
  /** Threads that have a current or a waiting message. */
  threadsWithMessages(): Promise<readonly ThreadKey[]>;
  /** Marks the current message `id` as stopped by `by`; false when it isn't current or is marked already. */
  stop(id: string, by: Person, at: number, effects: Effects): Promise<boolean>;
  /** Makes a waiting message the current one; false when it isn't waiting or another is current. */
  begin(id: string, effects: Effects, fence: ThreadFence): Promise<boolean>;
  /** Ends a current or waiting message; false when it had ended. */
  end(id: string, how: MessageEnd, effects: Effects, fence: ThreadFence): Promise<boolean>;
}

/** Settled turns. */
export interface History {
  /** Appends a turn unless its id is known, and removes the thread's turn records and its checkpoint. */
  append(thread: ThreadKey, turn: SettledTurn, effects: Effects, fence: ThreadFence): Promise<void>;
  /** The newest turns, newest first; `skip` leaves out that many. */
  newest(thread: ThreadKey, limit: number, skip: number): Promise<readonly SettledTurn[]>;
  has(thread: ThreadKey, turnId: string): Promise<boolean>;
  /** Keeps a person's newest rating of a turn; false when the thread has no such turn. Effects happen when it was kept. */
  rate(thread: ThreadKey, turnId: string, rating: Rating, effects: Effects): Promise<boolean>;
  /** The ratings of a turn, oldest first. */
  ratings(thread: ThreadKey, turnId: string): Promise<readonly Rating[]>;
  /** Deletes the settled turns of a thread and of its child threads, ratings included; answers how many turns. */
  clear(thread: ThreadKey, effects: Effects): Promise<number>;
  /** Threads of people in which nothing has happened from a time (ms) on, longest untouched first; `skip` leaves out that many. */
  inactiveThreads(
    before: number,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<readonly UntouchedThread[]>;
  /**
   * Removes what is kept of a thread and its child threads: turns, ratings, calls, cards, what is
   * unsaid, texts of ended messages; that these were received stays known. False, and nothing
   * happens, when it has been touched since, or something in it is open.
   */
  remove(found: UntouchedThread, effects: Effects): Promise<boolean>;
  /** Calls that belong to channels themselves and were over before a time (ms), in any order; at most `limit`. */
  endedChannelCalls(before: number, limit: number): Promise<readonly Call[]>;
  /** Removes such calls with what is remembered of their cards; false, and nothing happens, when one of them is not there any more. */
  removeCalls(calls: readonly Call[], effects: Effects): Promise<boolean>;
}

/** A thread in which nothing happens any more, and how much is kept of it and of its child threads. */
export interface UntouchedThread {
  readonly thread: ThreadKey;
  /** When something happened in it last. */
  readonly touchedAt: number;
  readonly turns: number;
  readonly calls: number;
}

/** What the app has yet to say. */
export interface Outbox {
  add(says: readonly OutboxMessage[], wakes: readonly Wake[], fence?: ThreadFence): Promise<void>;
  /** Unsaid, in the order in which they were added. */
  pendingMessages(thread: ThreadKey): Promise<readonly OutboxMessage[]>;
  markSent(id: string): Promise<void>;
  /** Threads in which something is unsaid. */
  threadsWithPendingMessages(): Promise<readonly ThreadKey[]>;
  /** Remembers where the thread's growing message stands (an empty `ts`: it may be there); undefined forgets it. */
  placeLiveMessage(thread: ThreadKey, place: CardPlace | undefined): Promise<void>;
  liveMessageOf(thread: ThreadKey): Promise<CardPlace | undefined>;
}

/** Whether anything new may run. */
export interface PauseSwitch {
  read(): Promise<Pause | undefined>;
  /** Sets the pause, or ends it with undefined; false when it stood so already. Effects happen with a change only. */
  write(pause: Pause | undefined, effects: Effects): Promise<boolean>;
}

/** The routes that admins have set in Slack, in one document. */
export interface RouteBook {
  /** An empty one before the first change. */
  read(): Promise<AdminRoutes>;
  /** Puts the document in place of the one with the revision before its own; false when that is not there any more. Effects happen with a change only. */
  write(book: AdminRoutes, effects: Effects): Promise<boolean>;
}

/** The keys of programs. */
export interface Keys {
  /** Adds a key; false when its id is known. Effects happen when it was added. */
  add(key: ApiKey, effects: Effects): Promise<boolean>;
  get(id: string): Promise<ApiKey | undefined>;
  /** All keys that ever were, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Puts a key in place of the one with the revision before its own; false when that is not there any more. Effects happen with a change only. */
  change(key: ApiKey, effects: Effects): Promise<boolean>;
}

/** What MCP servers say of their tools, as it was accepted. */
export interface Pins {
  /** All of them, by name. */
  all(): Promise<readonly Pin[]>;
  /** Puts a pin where none of its name is, or in place of the one with the hash `before`; false when that is not so any more. Effects happen with a change only. */
  write(pin: Pin, before: string | undefined, effects: Effects): Promise<boolean>;
}

/** What people have typed into forms that they have not sent yet. */
export interface Drafts {
  /** Keeps a text under an id, in place of an earlier one, until a time (ms); what has ended goes. */
  keep(id: string, text: string, until: number): Promise<void>;
  /** Undefined when there is none, or its time is over. */
  read(id: string): Promise<string | undefined>;
  drop(id: string): Promise<void>;
}

/** Everything that happened. */
export interface Audit {
  append(drafts: readonly AuditDraft[]): Promise<void>;
  /** Entries from `seq` on, of `limit` at most; removed ones are passed over, and those that were not made with the installation's key are left out. */
  read(fromSeq: number, limit: number): Promise<readonly AuditEntry[]>;
  /** The number of the entry that was appended last; 0 when there never was one. */
  newest(): Promise<number>;
  /** Chains and seals what was appended since; answers what it refuses to seal. */
  seal(now: number): Promise<AuditFault | undefined>;
  /** Looks at every entry that is there. */
  check(): Promise<AuditReport>;
  /** Removes sealed entries that are older than a time (ms), with an entry that says so; answers how many. Ends at the first that is not genuine. */
  removeOlder(before: number, now: number): Promise<number>;
}

/** All ports of one backend. */
export interface Store {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly records: TurnRecords;
  readonly history: History;
  /** Of our own graph. */
  readonly checkpoints: Checkpoints;
  readonly outbox: Outbox;
  readonly agenda: Agenda;
  readonly audit: Audit;
  readonly pause: PauseSwitch;
  readonly routes: RouteBook;
  readonly pins: Pins;
  readonly drafts: Drafts;
  readonly keys: Keys;
  readonly bulletins: DigestMessages;
  readonly reports: ProgressReports;
  /** Decides something, and tells what it has read of the store: what was kept in memory may be behind. */
  observe<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seen: ReadRevisions }>;
  /** Reads past what is kept in memory. */
  fresh<T>(work: () => Promise<T>): Promise<T>;
  /** Rejects, saying why and what to do, when the backend can't be written. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A worker wrote with an older fence: another one has its thread now. */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError';
}

/** The backend could not be asked, or its answer was lost. Everything may be asked again: what was done is not done twice. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** Whether what was asked for may have been done all the same. */
  readonly fate: 'not-done' | 'unknown';

  constructor(message: string, fate: 'not-done' | 'unknown', options?: ErrorOptions) {
    super(message, options);
    this.fate = fate;
  }
}
