import { compact, type Json } from '../json-value.ts';
import { type StoredMessage, toSlackMessage } from '../state/message-store.ts';
import type { DirectoryChannel } from '../state/slack-directory.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';

const CHANNEL_TYPES = { channel: 'channel', private: 'group', im: 'im' } as const;

/** Sends the events of a new message. A mention in a channel causes two events, as in Slack. */
export async function announcePost(core: WorkspaceCore, message: StoredMessage): Promise<void> {
  const channel = core.directory.channel(message.channel);
  if (!hasApp(channel)) {
    return;
  }
  const content = { ...toEventMessage(core, message), ...origin(core, channel, message) };
  const events = [
    core.delivery.event({
      ...content,
      channel: channel.id,
      event_ts: message.ts,
      channel_type: CHANNEL_TYPES[channel.kind],
    }),
  ];
  if (mentionsApp(message) && channel.kind !== 'im') {
    events.unshift(
      core.delivery.event(
        compact({
          ...content,
          type: 'app_mention',
          subtype: undefined,
          channel: channel.id,
          event_ts: message.ts,
        }),
      ),
    );
  }
  await Promise.all(events);
}

/** Sends the event of a changed message. */
export async function announceChange(
  core: WorkspaceCore,
  before: StoredMessage,
  after: StoredMessage,
): Promise<void> {
  await announceHidden(core, after.channel, {
    subtype: 'message_changed',
    message: { ...toEventMessage(core, after), ...originOf(core, after) },
    previous_message: toEventMessage(core, before),
  });
}

/** Sends the event of a deleted message. */
export async function announceRemoval(core: WorkspaceCore, before: StoredMessage): Promise<void> {
  await announceHidden(core, before.channel, {
    subtype: 'message_deleted',
    deleted_ts: before.ts,
    previous_message: toEventMessage(core, before),
  });
}

async function announceHidden(
  core: WorkspaceCore,
  channelId: string,
  content: Json,
): Promise<void> {
  const channel = core.directory.channel(channelId);
  if (!hasApp(channel)) {
    return;
  }
  const ts = core.nextTs();
  await core.delivery.event({
    type: 'message',
    hidden: true,
    ...content,
    channel: channelId,
    ts,
    event_ts: ts,
    channel_type: CHANNEL_TYPES[channel.kind],
  });
}

/** Converts a message to its format in events, with the author of its thread's root. */
export function toEventMessage(core: WorkspaceCore, message: StoredMessage, metadata = true): Json {
  const { messages } = core;
  const root = messages.find(message.channel, message.threadTs ?? '');
  const slack = toSlackMessage(message, {
    metadata,
    ...(root === undefined ? {} : { parentUser: root.user }),
  });
  // The root has the `thread_ts` of its own thread.
  return messages.hasReplies(message.channel, message.ts)
    ? { ...slack, thread_ts: message.ts }
    : slack;
}

/** Returns whether the app's bot is in the channel. */
export function hasApp(channel: DirectoryChannel): boolean {
  return channel.members.includes(IDENTITY.app.botUserId);
}

function mentionsApp(message: StoredMessage): boolean {
  return !message.byApp && message.text.includes(`<@${IDENTITY.app.botUserId}>`);
}

function originOf(core: WorkspaceCore, message: StoredMessage): Json {
  return origin(core, core.directory.channel(message.channel), message);
}

/** In shared channels Slack names the author's workspace. */
function origin(core: WorkspaceCore, channel: DirectoryChannel, message: StoredMessage): Json {
  const isShared = channel.members.some(
    (id) => core.directory.findMember(id)?.teamId !== IDENTITY.team.id,
  );
  return isShared ? { user_team: message.team, source_team: message.team } : {};
}
