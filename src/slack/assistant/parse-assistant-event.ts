import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import { isEventForThisApp, isMessagePlace } from '../inbound/parse-message.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, objectAt, textAt } from '../transport/payload.ts';

/** A chat that a person opened in Slack’s assistant pane. */
export interface OpenedAssistantPane {
  readonly user: string;
  readonly channel: string;
  readonly root: string;
  readonly thread: ThreadKey;
}

/** Parses the event of an opened pane; undefined if it is malformed or for another installation. */
export function parseAssistantPaneEvent(
  body: unknown,
  identity: SlackIdentity,
): OpenedAssistantPane | undefined {
  if (!isPayload(body) || !isEventForThisApp(body, identity)) return undefined;
  const opened = objectAt(objectAt(body, 'event'), 'assistant_thread');
  const user = textAt(opened, 'user_id');
  const channel = textAt(opened, 'channel_id') ?? '';
  const root = textAt(opened, 'thread_ts') ?? '';
  if (user === undefined || !isMessagePlace(channel, root)) return undefined;
  return { user, channel, root, thread: threadKey({ team: identity.team, channel, ts: root }) };
}

/** The app’s Messages tab, opened by a person. */
export interface OpenedTab {
  readonly user: string;
  /** Their direct messages with the app. */
  readonly channel: string;
}

/** Parses the event of an opened Messages tab; undefined for another tab, a malformed event or another installation. https://docs.slack.dev/reference/events/app_home_opened */
export function parseOpenedTab(body: unknown, identity: SlackIdentity): OpenedTab | undefined {
  if (!isPayload(body) || !isEventForThisApp(body, identity)) return undefined;
  const event = objectAt(body, 'event');
  const user = textAt(event, 'user');
  const channel = textAt(event, 'channel');
  if (user === undefined || channel === undefined || !isMessagePlace(channel, '0.0'))
    return undefined;
  return textAt(event, 'tab') === 'messages' ? { user, channel } : undefined;
}
