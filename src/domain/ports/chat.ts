import type { Call, CardPlace } from '../calls/call.ts';
import type { CallListEntry } from '../cards/call-list-entry.ts';
import type { MentionTarget } from '../cards/card-channel.ts';
import type { DigestMessage } from '../cards/digest-message.ts';
import type { ProgressReport } from '../cards/progress-report.ts';
import type { ApproverAvailability } from '../rules/approver-availability.ts';
import type { Sentence } from '../text/sentence.ts';
import type { InboxMessage } from '../threads/message.ts';
import type { OutboxMessage } from '../threads/outbox-message.ts';
import type { Pause } from '../threads/pause.ts';
import { placeOf, type ThreadKey } from '../threads/thread-key.ts';

/** A call as a card shows it. */
export interface ShownCall {
  readonly call: Call;
  /** Who can still decide it. */
  readonly availability?: ApproverAvailability | undefined;
  /** The tool's latest progress line, in its own words, without the call's secrets. */
  readonly progress?: ProgressReport | undefined;
}

/**
 * Where people see cards and messages. Everything is rendered from stored state and may be
 * repeated.
 */
export interface Chat {
  /**
   * Renders a call: updates the card at `place`, or posts one that mentions `calls`. With
   * `lookFirst`, searches for an earlier post first. Returns the card's place.
   */
  drawCard(
    call: Call,
    place: CardPlace | undefined,
    options: {
      readonly lookFirst: boolean;
      readonly availability?: ApproverAvailability | undefined;
      readonly calls?: readonly MentionTarget[] | undefined;
      /** The tool's latest progress line, in its own words, without the call's secrets. */
      readonly progress?: ProgressReport | undefined;
      /** The current pause: nothing runs until it ends. */
      readonly paused?: Pause | undefined;
      /** For a shared card: all of its calls by position, this one first. */
      readonly shared?: readonly ShownCall[] | undefined;
      /** Places of other cards: a post found there is not this one. */
      readonly others?: readonly CardPlace[] | undefined;
    },
  ): Promise<CardPlace>;
  /**
   * Renders the stub in the thread of a card that is elsewhere, in the same way. `card` is the
   * card's place once posted.
   */
  drawStub(
    call: Call,
    place: CardPlace | undefined,
    options: {
      readonly lookFirst: boolean;
      readonly card: CardPlace | undefined;
      /** Whom the call waits for; the thread does not show the card itself. */
      readonly availability?: ApproverAvailability | undefined;
      /** Whether the channel rejects the card. */
      readonly isRefused: boolean;
      /** For a shared card: all of its calls by position, this one first. */
      readonly shared?: readonly Call[] | undefined;
    },
  ): Promise<CardPlace>;
  /** Replaces an outdated card by a pointer to `next`, without buttons. */
  closeCard(call: Call, place: CardPlace, next: CardPlace): Promise<void>;
  /**
   * Renders a digest message at its place, or posts it in its channel with its mentions. With
   * `lookFirst`, searches for an earlier post first.
   */
  drawDigest(
    digestMessage: DigestMessage,
    options: {
      readonly lookFirst: boolean;
      /** Its waiting calls, or the oldest of them if there are many. */
      readonly lines: readonly CallListEntry[];
    },
  ): Promise<CardPlace>;
  /**
   * Posts a message once; with `lookFirst`, searches for an earlier post first. The live message at
   * `live` becomes its first part. If the thread rejects it, it goes to `to` directly, with the
   * reason.
   */
  postOutboxMessage(
    say: OutboxMessage,
    options: { readonly lookFirst: boolean; readonly live?: CardPlace | undefined },
  ): Promise<void>;
  /**
   * Creates a turn's live message without posting it. `left` is where an earlier worker left one.
   */
  openLiveMessage(
    turn: Pick<InboxMessage, 'id' | 'thread' | 'author'>,
    left: CardPlace | undefined,
  ): LiveMessage;
  /** Removes a live message. */
  clearLive(thread: ThreadKey, live: CardPlace): Promise<void>;
  /**
   * Shows a thread's status, as a session or as text if sessions are unsupported. Returns which.
   */
  setStatus(thread: ThreadKey, status: ThreadStatus): Promise<'session' | 'words'>;
}

/**
 * `processing`: the agent works; `suspended`: it only waits for people; `active`: it is ready for a
 * message.
 */
export type SessionStatus = 'processing' | 'suspended' | 'active';

/** The status of a thread in which people talk. */
export interface ThreadStatus {
  readonly session: SessionStatus;
  /** The status as text; empty if there is nothing to say. */
  readonly words: Sentence;
  /** The thread's title, if it is being named now. */
  readonly title?: string;
  /** A live message already shows it; status text beside it would only flicker. */
  readonly isSeen?: boolean;
  /** Sent again because a message of ours cleared the status text. */
  readonly isRepeat?: boolean;
}

/** One step of the agent: a tool call, or thinking if `tool` is absent. */
export interface LiveTask {
  readonly id: string;
  readonly tool?: string;
  readonly status: 'pending' | 'in_progress' | 'complete' | 'error';
  /** Configured name of the helper that does it. */
  readonly helper?: string;
}

/** What a live message shows: the agent's Markdown so far, and its steps. */
export interface LiveView {
  readonly text: string;
  readonly tasks: readonly LiveTask[];
}

/** A message that grows during a turn. The caller must serialize and space the writes. */
export interface LiveMessage {
  /** Where it is; undefined if it is not posted. An empty `ts` means unknown. */
  place(): CardPlace | undefined;
  /** Updates it with at most one request; `more` if another one is needed. Throws `ChatError`. */
  draw(view: LiveView): Promise<'drawn' | 'more'>;
}

/** The place of a live message that may or may not exist. */
export function uncertainLivePlace(thread: ThreadKey): CardPlace {
  return { channel: placeOf(thread).channel, ts: '' };
}

/** Slack rejected a request. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  /**
   * `undeliverable`: no such place, or the app is not in it; `gone`: the message was deleted;
   * `temporary`: retry later; `unauthorized`: until the operator fixes access.
   */
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

/**
 * A post is rejected until someone fixes the cause, even if that takes until morning. Never give
 * up.
 */
export class BlockedUntilFixedError extends Error {
  override readonly name = 'UnmendedError';
}
