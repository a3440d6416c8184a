/** Parses the events of Slack that are not messages. */
import type { Group, Person } from '../../domain/people/person.ts';
import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { objectAt, type Payload, textAt } from '../transport/payload.ts';
import { isEventForThisApp, isMessagePlace } from './parse-message.ts';

/** A chat that a person opened in Slack’s older assistant pane. */
export interface OpenedChat {
  readonly kind: 'chat-opened';
  readonly by: Person;
  readonly channel: string;
  readonly root: string;
  readonly thread: ThreadKey;
}

/** A person opened the Messages tab of the app. */
export interface OpenedMessages {
  readonly kind: 'messages-opened';
  readonly by: Person;
  /** Their direct messages with the app. */
  readonly channel: string;
}

/** A click on Slack’s own stop button of a session. */
export interface SessionStop {
  readonly kind: 'session-stopped';
  readonly by: Person;
  readonly channel: string;
  readonly root: string;
  readonly thread: ThreadKey;
  /** When it was clicked, in ms. */
  readonly at: number;
}

/** An event that is not a message. */
export type Lifecycle =
  | { readonly kind: 'home-opened'; readonly by: Person }
  | OpenedMessages
  | OpenedChat
  | SessionStop
  | { readonly kind: 'group-changed'; readonly group: Group };

type Reader = (event: Payload, team: string) => Lifecycle | undefined;

/** Slack sends other events too, such as a renamed session; they need no answer. */
const READERS: ReadonlyMap<unknown, Reader> = new Map([
  ['app_home_opened', readOpenedTab],
  ['assistant_thread_started', readOpenedChat],
  ['agent_session_stopped', readSessionStop],
  ['subteam_updated', readGroupChange],
]);

/** Parses an event; undefined if it is malformed, needs no answer or is for another installation. */
export function parseLifecycle(body: Payload, identity: SlackIdentity): Lifecycle | undefined {
  if (!isEventForThisApp(body, identity)) return undefined;
  const event = objectAt(body, 'event');
  return READERS.get(event.type)?.(event, identity.team);
}

/** https://docs.slack.dev/reference/events/app_home_opened */
function readOpenedTab(event: Payload, team: string): Lifecycle | undefined {
  const user = textAt(event, 'user');
  const channel = textAt(event, 'channel') ?? '';
  if (user === undefined) return undefined;
  const by = { team, user };
  if (event.tab === 'home') return { kind: 'home-opened', by };
  return event.tab === 'messages' && isMessagePlace(channel, '0.0')
    ? { kind: 'messages-opened', by, channel }
    : undefined;
}

/** https://docs.slack.dev/reference/events/assistant_thread_started */
function readOpenedChat(event: Payload, team: string): Lifecycle | undefined {
  const opened = objectAt(event, 'assistant_thread');
  const user = textAt(opened, 'user_id');
  const channel = textAt(opened, 'channel_id') ?? '';
  const root = textAt(opened, 'thread_ts') ?? '';
  if (user === undefined || !isMessagePlace(channel, root)) return undefined;
  const thread = threadKey({ team, channel, ts: root });
  return { kind: 'chat-opened', by: { team, user }, channel, root, thread };
}

/** https://docs.slack.dev/reference/events/agent_session_stopped */
function readSessionStop(event: Payload, team: string): Lifecycle | undefined {
  const channel = textAt(event, 'channel') ?? '';
  const root = textAt(event, 'thread_ts') ?? '';
  const user = textAt(event, 'user');
  const at = Number(textAt(event, 'event_ts')) * 1_000;
  if (user === undefined || !isMessagePlace(channel, root) || !Number.isFinite(at)) {
    return undefined;
  }
  const thread = threadKey({ team, channel, ts: root });
  return { kind: 'session-stopped', by: { team, user }, channel, root, thread, at };
}

/** https://docs.slack.dev/reference/events/subteam_updated */
function readGroupChange(event: Payload): Lifecycle | undefined {
  const id = textAt(objectAt(event, 'subteam'), 'id') ?? '';
  return /^S[A-Z0-9]{1,39}$/.test(id)
    ? { kind: 'group-changed', group: `usergroup:${id}` }
    : undefined;
}
