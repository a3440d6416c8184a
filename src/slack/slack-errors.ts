import { SlackError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { ChatError } from '../domain/chat.ts';

interface ErrorRow {
  readonly code: ChatError['code'];
  /** What it means, and what to do, in words for the person who has to mend it. */
  readonly say: string;
}

/** What an error of Slack's API means for a thing to be shown; what is not here is `rejected`. */
export const SLACK_ERRORS: Readonly<Record<string, ErrorRow>> = {
  channel_not_found: {
    code: 'undeliverable',
    say: 'Slack does not show me this channel. Invite me with `/invite`, then I try again.',
  },
  not_in_channel: {
    code: 'undeliverable',
    say: 'I am not a member of this channel. Invite me with `/invite`, then I try again.',
  },
  is_archived: {
    code: 'undeliverable',
    say: 'This channel is archived. Unarchive it, or ask again in another channel.',
  },
  restricted_action: {
    code: 'undeliverable',
    say: 'The workspace does not let me post in this channel. An admin can allow it.',
  },
  restricted_action_thread_locked: {
    code: 'undeliverable',
    say: 'The thread is locked. Ask again in a new thread.',
  },
  restricted_action_read_only_channel: {
    code: 'undeliverable',
    say: 'The channel is read-only for me. Ask again in another channel.',
  },
  thread_not_found: {
    code: 'undeliverable',
    say: 'The thread is gone. Ask again in a new message.',
  },
  message_not_found: { code: 'gone', say: 'The message was deleted.' },
  cant_update_message: { code: 'gone', say: 'The message is not mine to change any more.' },
  edit_window_closed: { code: 'gone', say: 'The workspace does not let me change it any more.' },
  streaming_state_conflict: { code: 'temporary', say: 'Slack has not ended the stream yet.' },
  ratelimited: { code: 'rate-limited', say: 'Slack asks me to slow down.' },
  rate_limited: { code: 'rate-limited', say: 'Slack asks me to slow down.' },
  internal_error: { code: 'temporary', say: 'Slack had an error of its own.' },
  fatal_error: { code: 'temporary', say: 'Slack had an error of its own.' },
  service_unavailable: { code: 'temporary', say: 'Slack is not available right now.' },
  request_timeout: { code: 'temporary', say: 'Slack did not get my whole request.' },
  team_added_to_org: { code: 'temporary', say: 'The workspace is being moved by Slack.' },
  // The operator mends these and starts the app again, and what waits then goes out.
  invalid_auth: {
    code: 'unauthorized',
    say: 'Slack refuses my token. The operator has to renew it.',
  },
  not_authed: {
    code: 'unauthorized',
    say: 'Slack refuses my token. The operator has to renew it.',
  },
  token_revoked: {
    code: 'unauthorized',
    say: 'My token was revoked. The operator has to renew it.',
  },
  token_expired: {
    code: 'unauthorized',
    say: 'My token has expired. The operator has to renew it.',
  },
  account_inactive: {
    code: 'unauthorized',
    say: 'The app was removed from the workspace. The operator has to install it again.',
  },
  // A scope may come without a new token, and without a start.
  missing_scope: {
    code: 'temporary',
    say: 'The app lacks a permission. The operator has to install it again with the manifest.',
  },
};

const DEFAULT_RETRY_AFTER_S = 30;
/** Whatever is asked for, at once would be in vain, and for days would be a card that never comes. */
const [LEAST_RETRY_AFTER_S, MOST_RETRY_AFTER_S] = [1, 600];
/** What is in the place of a name where something else than Slack has answered: a page, nothing, an object. */
const NAME = /^[a-z][a-z0-9_.:-]{0,99}$/i;

/** Returns Slack's own name of an error (`channel_not_found`, …); undefined when Slack did not answer. */
export function slackErrorName(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const name: unknown = error.data.error;
  return typeof name === 'string' && NAME.test(name) ? name : undefined;
}

/** Returns how long Slack is to be left alone that has asked for so many seconds, or for none that can be read. */
export function patienceMs(seconds: number): number {
  const asked = Number.isNaN(seconds) ? DEFAULT_RETRY_AFTER_S : seconds;
  return Math.min(MOST_RETRY_AFTER_S, Math.max(LEAST_RETRY_AFTER_S, asked)) * 1_000;
}

/** What Slack answers to a message that it finds too long, in whatever way. */
export const TOO_LONG: ReadonlySet<string | undefined> = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
]);

/** Turns whatever the Web API client threw into the error that the desk understands. */
export function toChatError(error: unknown, doing: string): ChatError {
  if (error instanceof ChatError) return error;
  const seconds = secondsAsked(error);
  if (seconds !== undefined) {
    return new ChatError('rate-limited', `Could not ${doing}: Slack asks me to slow down.`, {
      cause: error,
      retryAfterMs: patienceMs(seconds),
    });
  }
  const name = slackErrorName(error);
  if (name !== undefined) return fromSlack(name, error, doing);
  if (isNoAnswer(error)) {
    return new ChatError('temporary', `Could not ${doing}: Slack did not answer as it should.`, {
      cause: error,
    });
  }
  return new ChatError('rejected', `Could not ${doing}.`, { cause: error });
}

/** The client has no class for a 429 whose Retry-After it can't read. */
function secondsAsked(error: unknown): number | undefined {
  if (error instanceof WebAPIRateLimitedError) return error.retryAfter;
  const isOdd = error instanceof Error && error.message.startsWith('Retry header did not contain');
  return isOdd ? Number.NaN : undefined;
}

/** Nobody knows what came of the call: Slack was not reached, or its answer did not come whole, in time, or at all. */
function isNoAnswer(error: unknown): boolean {
  if (error instanceof SlackError) return true;
  if (!(error instanceof Error)) return false;
  // Of an answer that breaks off after its head the client hands on what `fetch` says.
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}

function fromSlack(name: string, error: unknown, doing: string): ChatError {
  const row = SLACK_ERRORS[name];
  if (row === undefined) {
    return new ChatError('rejected', `Could not ${doing}: Slack answered ${name}.`, {
      cause: error,
    });
  }
  const wait = row.code === 'rate-limited' ? { retryAfterMs: patienceMs(Number.NaN) } : {};
  return new ChatError(row.code, `Could not ${doing} (${name}). ${row.say}`, {
    cause: error,
    ...wait,
  });
}
