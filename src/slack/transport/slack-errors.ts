import { SlackError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { ChatError } from '../../domain/ports/chat.ts';

interface ErrorRow {
  readonly code: ChatError['code'];
  /** What it means and what to do, for the person who has to fix it. */
  readonly sentence: string;
}

const DETAILS_IN_LOG = 'The operator finds the details in the log.';
const TELL_OPERATOR = 'This is a fault of the app. Tell the operator.';
const NO_RECIPIENT = `Slack needs to know who this stream is for. ${TELL_OPERATOR}`;
const TWO_TEXTS = `Slack accepts only one form of the text at a time. ${TELL_OPERATOR}`;
const CLICK_AGAIN = 'Slack opens a form only within 3 seconds of a click. Click again.';

/** The click was too old to open a form. Slack’s reference and guide name these errors differently. */
export const EXPIRED_TRIGGERS: ReadonlySet<string> = new Set([
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
]);

/** What an error of Slack’s API means for a message or form. Unlisted errors are `rejected`. */
export const SLACK_ERRORS: Readonly<Record<string, ErrorRow>> = {
  channel_not_found: {
    code: 'undeliverable',
    sentence: 'Slack does not show me this channel. Invite me with `/invite`, then I try again.',
  },
  not_in_channel: {
    code: 'undeliverable',
    sentence: 'I am not a member of this channel. Invite me with `/invite`, then I try again.',
  },
  is_archived: {
    code: 'undeliverable',
    sentence: 'This channel is archived. Unarchive it, or ask again in another channel.',
  },
  restricted_action: {
    code: 'undeliverable',
    sentence: 'The workspace does not let me post in this channel. An admin can allow it.',
  },
  restricted_action_thread_locked: {
    code: 'undeliverable',
    sentence: 'The thread is locked. Ask again in a new thread.',
  },
  restricted_action_read_only_channel: {
    code: 'undeliverable',
    sentence: 'The channel is read-only for me. Ask again in another channel.',
  },
  thread_not_found: {
    code: 'undeliverable',
    sentence: 'The thread is gone. Ask again in a new message.',
  },
  cannot_reply_to_message: {
    code: 'undeliverable',
    sentence: 'Slack accepts no replies to this message. Ask again in a new message.',
  },
  invalid_thread_ts: {
    code: 'undeliverable',
    sentence: 'The thread is gone. Ask again in a new message.',
  },
  messages_tab_disabled: {
    code: 'undeliverable',
    sentence:
      'My Messages tab is switched off. The operator can switch it on in the app’s settings, “App Home”.',
  },
  not_authorized: {
    code: 'undeliverable',
    sentence: 'I am not a member of this conversation. Invite me with `/invite`, then I try again.',
  },
  user_not_found: {
    code: 'undeliverable',
    sentence:
      'Slack does not know this person here. Check whether they are still in the workspace.',
  },
  message_not_found: { code: 'gone', sentence: 'The message was deleted.' },
  message_not_owned_by_app: {
    code: 'gone',
    sentence: 'This message is not mine, so I can’t change it.',
  },
  block_mismatch: { code: 'gone', sentence: 'Slack does not let me change this message any more.' },
  stopped_by_user: {
    code: 'rejected',
    sentence: 'A person stopped this message with Slack’s button.',
  },
  message_not_in_streaming_state: { code: 'rejected', sentence: 'Slack has ended this stream.' },
  channel_type_not_supported: {
    code: 'rejected',
    sentence: 'Slack does not stream in this kind of conversation.',
  },
  method_not_supported_for_channel_type: {
    code: 'rejected',
    sentence: 'Slack does not show a status in this kind of conversation.',
  },
  feature_disabled: {
    code: 'rejected',
    sentence:
      'Slack has not switched this on for the app. The operator can install it again with the manifest.',
  },
  not_agent_app: {
    code: 'rejected',
    sentence:
      'The app is not declared as an agent. The operator can install it again with the manifest.',
  },
  not_subscribed_to_message_stream_stopped: {
    code: 'rejected',
    sentence:
      'The app does not receive clicks on Slack’s stop button. The operator can install it again with the manifest.',
  },
  session_not_found: { code: 'rejected', sentence: 'Slack knows no session in this thread.' },
  invalid_status: {
    code: 'rejected',
    sentence: `Slack does not know this status. ${TELL_OPERATOR}`,
  },
  thread_ts_required: {
    code: 'rejected',
    sentence: `Slack needs the thread of this session. ${TELL_OPERATOR}`,
  },
  thread_ts_not_allowed: {
    code: 'rejected',
    sentence: 'The whole channel is one session, with no threads. Ask again in another channel.',
  },
  invalid_name: { code: 'rejected', sentence: 'Slack does not accept this title for the session.' },
  name_taken: { code: 'rejected', sentence: 'Another session has this title already.' },
  invalid_chunks: {
    code: 'rejected',
    sentence: `Slack does not accept a part of this stream. ${DETAILS_IN_LOG}`,
  },
  missing_recipient_user_id: { code: 'rejected', sentence: NO_RECIPIENT },
  missing_recipient_team_id: { code: 'rejected', sentence: NO_RECIPIENT },
  markdown_text_conflict: { code: 'rejected', sentence: TWO_TEXTS },
  cannot_provide_both_markdown_text_and_chunks: { code: 'rejected', sentence: TWO_TEXTS },
  msg_too_long: { code: 'rejected', sentence: 'The message is too long for Slack.' },
  msg_blocks_too_long: { code: 'rejected', sentence: 'The message is too long for Slack.' },
  msg_blocks_too_many: { code: 'rejected', sentence: 'The message has too many parts for Slack.' },
  invalid_blocks: {
    code: 'rejected',
    sentence: `Slack does not accept the layout of this message. ${DETAILS_IN_LOG}`,
  },
  invalid_message: {
    code: 'rejected',
    sentence: `Slack does not accept this message. ${DETAILS_IN_LOG}`,
  },
  invalid_view: {
    code: 'rejected',
    sentence: `Slack does not accept this form. ${DETAILS_IN_LOG}`,
  },
  invalid_arguments: {
    code: 'rejected',
    sentence: `Slack does not accept this request. ${DETAILS_IN_LOG}`,
  },
  view_too_large: { code: 'rejected', sentence: 'The form is too large for Slack.' },
  duplicate_external_id: { code: 'rejected', sentence: 'This form is open already.' },
  hash_conflict: {
    code: 'rejected',
    sentence: 'The view has changed in the meantime. Open it again.',
  },
  ...Object.fromEntries(
    [...EXPIRED_TRIGGERS].map((name) => [
      name,
      { code: 'rejected', sentence: CLICK_AGAIN } as const,
    ]),
  ),
  cant_update_message: { code: 'gone', sentence: 'I can’t change this message any more.' },
  edit_window_closed: {
    code: 'gone',
    sentence: 'The workspace does not let me change this message any more.',
  },
  streaming_state_conflict: { code: 'temporary', sentence: 'Slack has not ended the stream yet.' },
  ratelimited: { code: 'rate-limited', sentence: 'Slack asks me to slow down.' },
  rate_limited: { code: 'rate-limited', sentence: 'Slack asks me to slow down.' },
  internal_error: { code: 'temporary', sentence: 'Slack had an error of its own.' },
  fatal_error: { code: 'temporary', sentence: 'Slack had an error of its own.' },
  service_unavailable: { code: 'temporary', sentence: 'Slack is not available right now.' },
  request_timeout: { code: 'temporary', sentence: 'Slack did not receive my whole request.' },
  team_added_to_org: {
    code: 'temporary',
    sentence: 'Slack is moving this workspace to an organization.',
  },
  // The operator fixes these and restarts the app; waiting messages are sent then.
  invalid_auth: {
    code: 'unauthorized',
    sentence: 'Slack refuses my token. The operator has to renew it.',
  },
  not_authed: {
    code: 'unauthorized',
    sentence: 'Slack refuses my token. The operator has to renew it.',
  },
  token_revoked: {
    code: 'unauthorized',
    sentence: 'My token was revoked. The operator has to renew it.',
  },
  token_expired: {
    code: 'unauthorized',
    sentence: 'My token has expired. The operator has to renew it.',
  },
  account_inactive: {
    code: 'unauthorized',
    sentence: 'The app was removed from the workspace. The operator has to install it again.',
  },
  // A scope can be added without a new token or a restart, so the app keeps retrying.
  missing_scope: {
    code: 'temporary',
    sentence: 'The app lacks a permission. The operator has to install it again with the manifest.',
  },
};

const DEFAULT_RETRY_AFTER_S = 30;
/** Bounds of Slack’s Retry-After: a retry at once would fail, and one after days comes too late. */
const [MIN_RETRY_AFTER_S, MAX_RETRY_AFTER_S] = [1, 600];
/** Slack’s error names. Other servers, such as a proxy, may return a page, nothing or an object instead. */
const ERROR_NAME = /^[a-z][a-z0-9_.:-]{0,99}$/i;

/** Returns Slack’s name of an error (`channel_not_found`, …); undefined if Slack did not respond. */
export function slackErrorName(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const name: unknown = error.data.error;
  return typeof name === 'string' && ERROR_NAME.test(name) ? name : undefined;
}

/** Returns the delay (ms) before a retry, for a Retry-After in seconds; `NaN` if it is unreadable. */
export function retryDelayMs(seconds: number): number {
  const asked = Number.isNaN(seconds) ? DEFAULT_RETRY_AFTER_S : seconds;
  return Math.min(MAX_RETRY_AFTER_S, Math.max(MIN_RETRY_AFTER_S, asked)) * 1_000;
}

/** Slack’s errors for a message that is too long. */
export const TOO_LONG: ReadonlySet<string | undefined> = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
]);

/** Slack has many errors of this kind and adds new ones. */
const RESTRICTED = /^restricted_action(?:_|$)/;

/** Converts an error of the Web API client to a `ChatError`; `action` completes “Could not …”. */
export function toChatError(error: unknown, action: string): ChatError {
  if (error instanceof ChatError) return error;
  const seconds = retryAfterSeconds(error);
  if (seconds !== undefined) {
    return new ChatError('rate-limited', `Could not ${action}: Slack asks me to slow down.`, {
      cause: error,
      retryAfterMs: retryDelayMs(seconds),
    });
  }
  const name = slackErrorName(error);
  if (name !== undefined) return fromSlack(name, error, action);
  if (isOutcomeUnknown(error)) {
    return new ChatError('temporary', `Could not ${action}: Slack did not answer as it should.`, {
      cause: error,
    });
  }
  return new ChatError('rejected', `Could not ${action}.`, { cause: error });
}

/** Returns Slack’s Retry-After in seconds, or undefined. The client throws a plain error if it is unreadable. */
function retryAfterSeconds(error: unknown): number | undefined {
  if (error instanceof WebAPIRateLimitedError) return error.retryAfter;
  const isUnreadable =
    error instanceof Error && error.message.startsWith('Retry header did not contain');
  return isUnreadable ? Number.NaN : undefined;
}

/** Returns whether the outcome of the request is unknown: no response, a late one, or a partial one. */
function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof SlackError) return true;
  if (!(error instanceof Error)) return false;
  // If a response ends after its headers, the client passes on the `TypeError` of `fetch`.
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}

function fromSlack(name: string, error: unknown, action: string): ChatError {
  const row = RESTRICTED.test(name)
    ? (SLACK_ERRORS[name] ?? SLACK_ERRORS.restricted_action)
    : SLACK_ERRORS[name];
  if (row === undefined) {
    return new ChatError('rejected', `Could not ${action}: Slack answered ${name}.`, {
      cause: error,
    });
  }
  const wait = row.code === 'rate-limited' ? { retryAfterMs: retryDelayMs(Number.NaN) } : {};
  return new ChatError(row.code, `Could not ${action} (${name}). ${row.sentence}`, {
    cause: error,
    ...wait,
  });
}
