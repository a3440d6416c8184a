import { compact, type Json } from '../json-value.ts';
import { type StoredMessage, toSlackMessage } from '../state/message-store.ts';
import type { DirectoryChannel } from '../state/slack-directory.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';

const CHANNEL_TYPES = { channel: 'channel', private: 'group', im: 'im' } as const;

/** Tells the app of a post; a mention in a channel makes two events of it, as in Slack. */
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

/** Tells the app that a message has another content. */
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

/** Tells the app that a message is gone. */
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

/** The message with the author of its thread's root, as events show it. */
export function toEventMessage(core: WorkspaceCore, message: StoredMessage, metadata = true): Json {
  const { messages } = core;
  const root = messages.find(message.channel, message.threadTs ?? '');
  const slack = toSlackMessage(message, {
    metadata,
    ...(root === undefined ? {} : { parentUser: root.user }),
  });
  // The root of a thread is in the thread itself.
  return messages.hasReplies(message.channel, message.ts)
    ? { ...slack, thread_ts: message.ts }
    : slack;
}

/** Tells whether the app's bot is in the channel. */
export function hasApp(channel: DirectoryChannel): boolean {
  return channel.members.includes(IDENTITY.app.botUserId);
}

function mentionsApp(message: StoredMessage): boolean {
  return !message.byApp && message.text.includes(`<@${IDENTITY.app.botUserId}>`);
}

function originOf(core: WorkspaceCore, message: StoredMessage): Json {
  return origin(core, core.directory.channel(message.channel), message);
}

/** In channels shared with another workspace Slack says which one the author is from. */
function origin(core: WorkspaceCore, channel: DirectoryChannel, message: StoredMessage): Json {
  const isShared = channel.members.some(
    (id) => core.directory.findMember(id)?.teamId !== IDENTITY.team.id,
  );
  return isShared ? { user_team: message.team, source_team: message.team } : {};
}
