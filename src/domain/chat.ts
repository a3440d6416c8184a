import type { Call, CardPlace } from './call.ts';
import type { Say } from './store.ts';
import type { ThreadKey } from './thread-key.ts';

/** Where people see cards and words; all of it is drawn from stored state and may be repeated. */
export interface Chat {
  /** Draws the call as it is: updates the card at `place`, or posts it; with `lookFirst` an earlier post is looked for. Resolves with where it stands. */
  drawCard(
    call: Call,
    place: CardPlace | undefined,
    options: { readonly lookFirst: boolean },
  ): Promise<CardPlace>;
  /** Says it once; with `lookFirst` an earlier post of the same id is looked for. What can't be said in the thread goes to `to` directly, with the reason. */
  say(say: Say, options: { readonly lookFirst: boolean }): Promise<void>;
  /** Sets the thread's status line; an empty text clears it. */
  setStatus(thread: ThreadKey, text: string): Promise<void>;
}

/** Slack did not take what it was given. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  /** `undeliverable`: not there, or we are not in it; `gone`: the message was deleted; `temporary`: worth repeating. */
  readonly code: 'undeliverable' | 'gone' | 'rate-limited' | 'temporary' | 'rejected';
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
export class UnmendedError extends Error {
  override readonly name = 'UnmendedError';
}
