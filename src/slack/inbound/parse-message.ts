/**
 * Finds the Slack events that are messages to the agent. Edits, unfurls and deletions are ignored:
 * the agent works on the original text, and a correction needs a new message.
 */

import type { Person } from '../../domain/people/person.ts';
import { type InboxMessage, messageId } from '../../domain/threads/message.ts';
import { threadKey } from '../../domain/threads/thread-key.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import type { PayloadProblem } from './interaction.ts';
import { mentionsThisApp, readMessageText } from './message-text.ts';
import { parseFiles } from './parse-files.ts';
import { APP_ID_UNKNOWN, actingTeamOf } from './validate-payload.ts';

/** A parsed event. With `onlyIfInThread` it counts only in a thread that the agent is in. */
export type ParsedMessage =
  | { readonly kind: 'message'; readonly message: InboxMessage; readonly onlyIfInThread: boolean }
  | { readonly kind: 'ignore'; readonly why: string }
  /** A reply below a message of ours, such as a card in a channel. It is ignored unless the agent is in that thread. */
  | { readonly kind: 'aside'; readonly message: InboxMessage; readonly isToUs: boolean }
  | {
      readonly kind: 'refuse';
      readonly why: string;
      /** Shown to the person. */
      readonly sentence: string;
      readonly isTemporary?: true;
      readonly person: Person;
      readonly message: InboxMessage;
      readonly onlyIfInThread: boolean;
    };

/** Subtypes of messages that people write. */
const WRITTEN: ReadonlySet<unknown> = new Set([
  undefined,
  'file_share',
  'me_message',
  'thread_broadcast',
]);

const ID = /^[A-Z0-9]{2,40}$/;
const TS = /^[0-9]{1,16}\.[0-9]{1,10}$/;

/** Parses an event’s body. Ignores everything that is not clearly a person’s message to the agent. */
export function parseMessage(
  body: unknown,
  facts: { readonly identity: SlackIdentity; readonly now: number },
): ParsedMessage {
  if (!isPayload(body) || body.type !== 'event_callback') return ignore('not an event');
  const event = objectAt(body, 'event');
  const why = explainIgnoredEvent(body, event, facts.identity);
  if (why !== undefined) return ignore(why);
  const address = addressOf(event, facts.identity.botUserId);
  if (address === 'not-to-us') return ignore('not written to the agent');
  const message = toMessage(event, facts);
  if (message === undefined) return ignore('malformed');
  const onlyIfInThread = address === 'thread';
  const { author } = message;
  const wrong = explainRejectedAuthor(message, facts.identity);
  if (wrong !== undefined) {
    // The same mention also arrives as `app_mention` and is refused there.
    const isTwin = event.type === 'message' && mentionsThisApp(event, facts.identity.botUserId);
    if (isTwin && event.channel_type !== 'im') return ignore('its mention is refused');
    return { kind: 'refuse', ...wrong, person: author, message, onlyIfInThread };
  }
  if (isBelowOurs(event, facts.identity.botUserId)) {
    return { kind: 'aside', message, isToUs: event.type === 'app_mention' };
  }
  return { kind: 'message', message, onlyIfInThread };
}

function explainRejectedAuthor(
  { author }: InboxMessage,
  { appId, team }: SlackIdentity,
): PayloadProblem | undefined {
  if (author.team !== team) {
    const why = 'a member of another workspace may not talk to the agent';
    return { why, sentence: STRANGER_WROTE };
  }
  return appId === undefined ? { ...APP_ID_UNKNOWN, sentence: NOT_READ_YET } : undefined;
}

const STRANGER_WROTE = 'I only work for members of this workspace, so I did not read your message.';
const NOT_READ_YET =
  'I can’t check yet that Slack sent this to me and not to another app, so I did not read your message. Please write it again in a minute.';

/** https://docs.slack.dev/reference/events/message: `parent_user_id` is the author of the thread's first message. */
function isBelowOurs(event: Payload, botUserId: string): boolean {
  return isReply(event) && event.channel_type !== 'im' && event.parent_user_id === botUserId;
}

/** Returns whether these are a valid channel id and message timestamp. */
export function isMessagePlace(channel: string, ts: string): boolean {
  return ID.test(channel) && TS.test(ts);
}

function ignore(why: string): ParsedMessage {
  return { kind: 'ignore', why };
}

function explainIgnoredEvent(
  body: Payload,
  event: Payload,
  identity: SlackIdentity,
): string | undefined {
  if (event.type !== 'app_mention' && event.type !== 'message') return 'not a message';
  if (!isEventForThisApp(body, identity)) return 'meant for another installation';
  if (!WRITTEN.has(event.subtype)) return `subtype ${String(event.subtype)}`;
  if ('edited' in event) return 'an edit';
  if (event.hidden === true) return 'hidden';
  if (isFromBot(event, identity)) return 'written by a bot';
  return undefined;
}

/** Returns whether a person wrote a message, edited or not. */
export function isWrittenByPerson(event: Payload, identity: SlackIdentity): boolean {
  return WRITTEN.has(event.subtype) && event.hidden !== true && !isFromBot(event, identity);
}

/** Returns whether a payload is an event for this app and workspace. Ignores the app id while it is unknown. */
export function isEventForThisApp(body: Payload, identity: SlackIdentity): boolean {
  if (body.type !== 'event_callback') return false;
  if (identity.appId !== undefined && body.api_app_id !== identity.appId) return false;
  const teams = listAt(body, 'authorizations').map((each) => each.team_id);
  const known = teams.length > 0 ? teams : [textAt(body, 'team_id') ?? identity.team];
  return known.includes(identity.team);
}

function isFromBot(event: Payload, identity: SlackIdentity): boolean {
  const marks = ['bot_id', 'bot_profile', 'app_id'].some((key) => event[key] !== undefined);
  return marks || event.user === identity.botUserId || event.user === 'USLACKBOT';
}

function addressOf(event: Payload, botUserId: string): 'us' | 'thread' | 'not-to-us' {
  if (event.type === 'app_mention' || event.channel_type === 'im') return 'us';
  if (mentionsThisApp(event, botUserId)) return 'us';
  return isReply(event) ? 'thread' : 'not-to-us';
}

function isReply(event: Payload): boolean {
  return event.thread_ts !== undefined && event.thread_ts !== event.ts;
}

function toMessage(
  event: Payload,
  facts: { readonly identity: SlackIdentity; readonly now: number },
): InboxMessage | undefined {
  const channel = textAt(event, 'channel') ?? '';
  const ts = textAt(event, 'ts') ?? '';
  const threadTs = textAt(event, 'thread_ts');
  const author = messageAuthorOf(event, facts.identity);
  if (author === undefined || !ID.test(channel)) return undefined;
  if (!TS.test(ts) || !TS.test(threadTs ?? ts)) return undefined;
  const { team, botUserId } = facts.identity;
  const files = parseFiles(event);
  const looksBack = isReply(event) && isMention(event, botUserId);
  return {
    id: messageId({ team, channel, ts }),
    thread: threadKey({ team, channel, ts, threadTs }),
    author,
    ts,
    text: readMessageText(event, botUserId),
    receivedAt: facts.now,
    ...(files.length > 0 && { files }),
    ...(looksBack && { looksBack }),
  };
}

function isMention(event: Payload, botUserId: string): boolean {
  return (
    event.type === 'app_mention' ||
    (event.channel_type !== 'im' && mentionsThisApp(event, botUserId))
  );
}

/** Returns the author of a message; undefined if the payload does not name one. */
export function messageAuthorOf(event: Payload, identity: SlackIdentity): Person | undefined {
  const user = textAt(event, 'user') ?? '';
  const team = actingTeamOf(authorTeamOf(event) ?? identity.team, identity);
  return ID.test(user) && ID.test(team) ? { team, user } : undefined;
}

/** In a shared channel `user_team` is the author’s. The channel’s team may differ, so it comes last. */
function authorTeamOf(event: Payload): string | undefined {
  return textAt(event, 'user_team') ?? textAt(event, 'team') ?? textAt(event, 'source_team');
}
