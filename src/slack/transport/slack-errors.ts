import { SlackError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { ChatError } from '../../domain/ports/chat.ts';

interface ErrorRow {
  readonly code: ChatError['code'];
  /** What it means, and what to do, in words for the person who has to mend it. */
  readonly say: string;
}

const DETAILS_IN_LOG = 'The operator finds the details in the log.';
const TELL_OPERATOR = 'This is a fault of the app. Tell the operator.';
const NO_RECIPIENT = `Slack needs to know for whom this stream is. ${TELL_OPERATOR}`;
const TWO_TEXTS = `Slack accepts only one form of the text at a time. ${TELL_OPERATOR}`;
const CLICK_AGAIN = 'Slack opens a form only within 3 seconds of a click. Click again.';

/** The click came too late to open a form. The method's reference and Slack's guide name these errors differently. */
export const EXPIRED_TRIGGERS: ReadonlySet<string> = new Set([
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
]);

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
  cannot_reply_to_message: {
    code: 'undeliverable',
    say: 'Slack takes no replies to this message. Ask again in a new message.',
  },
  invalid_thread_ts: {
    code: 'undeliverable',
    say: 'The thread is gone. Ask again in a new message.',
  },
  messages_tab_disabled: {
    code: 'undeliverable',
    say: 'My Messages tab is switched off. The operator can switch it on in the app’s settings, “App Home”.',
  },
  not_authorized: {
    code: 'undeliverable',
    say: 'I am not a member of this conversation. Invite me with `/invite`, then I try again.',
  },
  user_not_found: {
    code: 'undeliverable',
    say: 'Slack does not know this person here. Check whether they are still in the workspace.',
  },
  message_not_found: { code: 'gone', say: 'The message was deleted.' },
  message_not_owned_by_app: { code: 'gone', say: 'The message is not mine to change.' },
  block_mismatch: { code: 'gone', say: 'Slack does not let me change this message any more.' },
  stopped_by_user: { code: 'rejected', say: 'A person stopped this message with Slack’s button.' },
  message_not_in_streaming_state: { code: 'rejected', say: 'Slack has ended this stream.' },
  channel_type_not_supported: {
    code: 'rejected',
    say: 'Slack does not stream in this kind of conversation.',
  },
  method_not_supported_for_channel_type: {
    code: 'rejected',
    say: 'Slack does not show a status in this kind of conversation.',
  },
  feature_disabled: {
    code: 'rejected',
    say: 'Slack has not switched this on for the app. The operator can install it again with the manifest.',
  },
  not_agent_app: {
    code: 'rejected',
    say: 'The app is not declared as an agent. The operator can install it again with the manifest.',
  },
  not_subscribed_to_message_stream_stopped: {
    code: 'rejected',
    say: 'The app does not hear Slack’s stop button. The operator can install it again with the manifest.',
  },
  session_not_found: { code: 'rejected', say: 'Slack knows no session in this thread.' },
  invalid_status: { code: 'rejected', say: `Slack does not know this status. ${TELL_OPERATOR}` },
  thread_ts_required: {
    code: 'rejected',
    say: `Slack needs the thread of this session. ${TELL_OPERATOR}`,
  },
  thread_ts_not_allowed: {
    code: 'rejected',
    say: 'The whole channel is one session, with no threads. Ask again in another channel.',
  },
  invalid_name: { code: 'rejected', say: 'Slack does not accept this title for the session.' },
  name_taken: { code: 'rejected', say: 'Another session has this title already.' },
  invalid_chunks: {
    code: 'rejected',
    say: `Slack does not accept a part of this stream. ${DETAILS_IN_LOG}`,
  },
  missing_recipient_user_id: { code: 'rejected', say: NO_RECIPIENT },
  missing_recipient_team_id: { code: 'rejected', say: NO_RECIPIENT },
  markdown_text_conflict: { code: 'rejected', say: TWO_TEXTS },
  cannot_provide_both_markdown_text_and_chunks: { code: 'rejected', say: TWO_TEXTS },
  msg_too_long: { code: 'rejected', say: 'The message is too long for Slack.' },
  msg_blocks_too_long: { code: 'rejected', say: 'The message is too long for Slack.' },
  msg_blocks_too_many: { code: 'rejected', say: 'The message has too many parts for Slack.' },
  invalid_blocks: {
    code: 'rejected',
    say: `Slack does not take the layout of this message. ${DETAILS_IN_LOG}`,
  },
  invalid_message: {
    code: 'rejected',
    say: `Slack does not accept this message. ${DETAILS_IN_LOG}`,
  },
  invalid_view: { code: 'rejected', say: `Slack does not accept this form. ${DETAILS_IN_LOG}` },
  invalid_arguments: {
    code: 'rejected',
    say: `Slack does not accept this request. ${DETAILS_IN_LOG}`,
  },
  view_too_large: { code: 'rejected', say: 'The form is too large for Slack.' },
  duplicate_external_id: { code: 'rejected', say: 'This form is open already.' },
  hash_conflict: { code: 'rejected', say: 'The view has changed meanwhile. Open it again.' },
  ...Object.fromEntries(
    [...EXPIRED_TRIGGERS].map((name) => [name, { code: 'rejected', say: CLICK_AGAIN } as const]),
  ),
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
export function retryDelayMs(seconds: number): number {
  const asked = Number.isNaN(seconds) ? DEFAULT_RETRY_AFTER_S : seconds;
  return Math.min(MOST_RETRY_AFTER_S, Math.max(LEAST_RETRY_AFTER_S, asked)) * 1_000;
}

/** What Slack answers to a message that it finds too long, in whatever way. */
export const TOO_LONG: ReadonlySet<string | undefined> = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
]);

/** There are many restrictions of this kind, and new ones come. */
const RESTRICTED = /^restricted_action(?:_|$)/;

/** Turns whatever the Web API client threw into the error that the desk understands. */
export function toChatError(error: unknown, doing: string): ChatError {
  if (error instanceof ChatError) return error;
  const seconds = secondsAsked(error);
  if (seconds !== undefined) {
    return new ChatError('rate-limited', `Could not ${doing}: Slack asks me to slow down.`, {
      cause: error,
      retryAfterMs: retryDelayMs(seconds),
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
  const row = RESTRICTED.test(name)
    ? (SLACK_ERRORS[name] ?? SLACK_ERRORS.restricted_action)
    : SLACK_ERRORS[name];
  if (row === undefined) {
    return new ChatError('rejected', `Could not ${doing}: Slack answered ${name}.`, {
      cause: error,
    });
  }
  const wait = row.code === 'rate-limited' ? { retryAfterMs: retryDelayMs(Number.NaN) } : {};
  return new ChatError(row.code, `Could not ${doing} (${name}). ${row.say}`, {
    cause: error,
    ...wait,
  });
}
