import type { Call, CardPlace } from '../calls/call.ts';
import type { CallListEntry } from '../cards/call-list-entry.ts';
import type { MentionTarget } from '../cards/card-channel.ts';
import type { DigestMessage } from '../cards/digest-message.ts';
import type { ProgressReport } from '../cards/progress-report.ts';
import type { ApproverAvailability } from '../people/approver-availability.ts';
import type { Sentence } from '../text/sentence.ts';
import type { InboxMessage } from '../threads/message.ts';
import type { OutboxMessage } from '../threads/outbox-message.ts';
import type { Pause } from '../threads/pause.ts';
import { placeOf, type ThreadKey } from '../threads/thread-key.ts';

/** A call as a card shows it. */
export interface ShownCall {
  readonly call: Call;
  /** With whom it waits. */
  readonly availability?: ApproverAvailability | undefined;
  /** What the tool of a running call said last of how it goes: its own words, without the call's secrets. */
  readonly progress?: ProgressReport | undefined;
}

/** Where people see cards and words; all of it is drawn from stored state and may be repeated. */
export interface Chat {
  /** Draws the call as it is, with whom it waits for: updates the card at `place`, or posts it where it belongs, where it calls those of `calls`; with `lookFirst` an earlier post is looked for. Resolves with where it stands. */
  drawCard(
    call: Call,
    place: CardPlace | undefined,
    options: {
      readonly lookFirst: boolean;
      readonly outlook?: ApproverAvailability | undefined;
      readonly calls?: readonly MentionTarget[] | undefined;
      /** What the tool of a running call said last of how it goes: its own words, without the call's secrets. */
      readonly progress?: ProgressReport | undefined;
      /** Nothing runs until it ends. */
      readonly paused?: Pause | undefined;
      /** All calls of the card by their position, this one first, where it shows several. */
      readonly shared?: readonly ShownCall[] | undefined;
      /** What is found at one of these places is another card. */
      readonly others?: readonly CardPlace[] | undefined;
    },
  ): Promise<CardPlace>;
  /** Draws in the thread that the card stands elsewhere, likewise; `card` is where, once it is there. */
  drawStub(
    call: Call,
    place: CardPlace | undefined,
    options: {
      readonly lookFirst: boolean;
      readonly card: CardPlace | undefined;
      /** Whom the call waits for; the card itself is not in the thread. */
      readonly outlook?: ApproverAvailability | undefined;
      /** The channel does not take the card. */
      readonly isRefused: boolean;
      /** All calls of the card by their position, this one first, where it shows several. */
      readonly shared?: readonly Call[] | undefined;
    },
  ): Promise<CardPlace>;
  /** Draws over a message of the call that its card has gone on to `next`: nothing can be pressed there. */
  closeCard(call: Call, place: CardPlace, next: CardPlace): Promise<void>;
  /** Draws the bulletin at its place, or posts it at the top of its channel, where it calls its people; with `lookFirst` an earlier post is looked for. */
  drawDigest(
    bulletin: DigestMessage,
    options: {
      readonly lookFirst: boolean;
      /** The calls that wait in it, the oldest of them where there are many. */
      readonly lines: readonly CallListEntry[];
    },
  ): Promise<CardPlace>;
  /** Says it once; with `lookFirst` an earlier post of the same id is looked for. The growing message at `live` becomes its first part. What can't be said in the thread goes to `to` directly, with the reason. */
  postOutboxMessage(
    say: OutboxMessage,
    options: { readonly lookFirst: boolean; readonly live?: CardPlace | undefined },
  ): Promise<void>;
  /** Makes the growing message of a turn, without a write; `left` is where an earlier worker left it. */
  openLiveMessage(
    turn: Pick<InboxMessage, 'id' | 'thread' | 'author'>,
    left: CardPlace | undefined,
  ): LiveMessage;
  /** Takes a growing message away. */
  clearLive(thread: ThreadKey, live: CardPlace): Promise<void>;
  /** Shows how a thread stands: as a session, or in words where there are no sessions. Resolves with which it was. */
  setStatus(thread: ThreadKey, status: ThreadStatus): Promise<'session' | 'words'>;
}

/** `processing`: the agent is at work; `suspended`: only people are waited for; `active`: it is ready for the next message. */
export type SessionStatus = 'processing' | 'suspended' | 'active';

/** How a thread stands in which people talk. */
export interface ThreadStatus {
  readonly session: SessionStatus;
  /** The same in words; empty when there is nothing to be said. */
  readonly words: Sentence;
  /** What the thread is about, where it is named now. */
  readonly title?: string;
  /** People see it better on a message that grows: words beside it would only flicker. */
  readonly isSeen?: boolean;
  /** Said again because a message of ours has wiped the words away. */
  readonly isRepeat?: boolean;
}

/** One thing that the agent does: a tool's call, or thinking when it names no tool. */
export interface LiveTask {
  readonly id: string;
  readonly tool?: string;
  readonly status: 'pending' | 'in_progress' | 'complete' | 'error';
  /** The helper that does it, by its configured name. */
  readonly helper?: string;
}

/** What a growing message is to show: the agent's Markdown as far as it has come, and what it does. */
export interface LiveView {
  readonly text: string;
  readonly tasks: readonly LiveTask[];
}

/** A message that grows while a turn goes on. Writes must not overlap; spacing them is the caller's. */
export interface LiveMessage {
  /** Where it stands; undefined when it is not there, with an empty `ts` when that is not known. */
  place(): CardPlace | undefined;
  /** Brings it nearer to the view, by one request at most; `more` when another one is needed. A `ChatError` tells what to wait for. */
  draw(view: LiveView): Promise<'drawn' | 'more'>;
}

/** The place of a thread's growing message while nobody knows whether it is there. */
export function uncertainLivePlace(thread: ThreadKey): CardPlace {
  return { channel: placeOf(thread).channel, ts: '' };
}

/** Slack did not take what it was given. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  /** `undeliverable`: not there, or we are not in it; `gone`: the message was deleted; `temporary`: passes by itself; `unauthorized`: we are let in no more, until the operator mends it. */
  readonly code:
    | 'undeliverable'
    | 'gone'
    | 'rate-limited'
    | 'temporary'
    | 'unauthorized'
    | 'rejected';
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ChatError['code'],
    message: string,
    options?: { readonly cause?: unknown; readonly retryAfterMs?: number },
  ) {
    super(message, { cause: options?.cause });
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** What is shown stays refused until somebody mends something, be it the next morning: the work is never given up. */
export class BlockedUntilFixedError extends Error {
  override readonly name = 'UnmendedError';
}
