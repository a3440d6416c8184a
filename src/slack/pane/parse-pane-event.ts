import { type ThreadKey, threadKey } from '../../domain/thread-key.ts';
import type { SlackIdentity } from '../connect-slack.ts';
import { isForUs, isPlace } from '../parse-message.ts';
import { isPayload, objectAt, textAt } from '../payload.ts';

/** A chat that a person has opened in Slack's assistant pane. */
export interface OpenedPane {
  readonly user: string;
  readonly channel: string;
  readonly root: string;
  readonly thread: ThreadKey;
}

/** Reads the event of an opened pane; undefined for what is malformed or meant for another installation. */
export function parsePaneEvent(body: unknown, identity: SlackIdentity): OpenedPane | undefined {
  if (!isPayload(body) || !isForUs(body, identity)) return undefined;
  const opened = objectAt(objectAt(body, 'event'), 'assistant_thread');
  const user = textAt(opened, 'user_id');
  const channel = textAt(opened, 'channel_id') ?? '';
  const root = textAt(opened, 'thread_ts') ?? '';
  if (user === undefined || !isPlace(channel, root)) return undefined;
  return { user, channel, root, thread: threadKey({ team: identity.team, channel, ts: root }) };
}
