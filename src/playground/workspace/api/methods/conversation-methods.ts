import { hasApp, toEventMessage } from '../../delivery/message-events.ts';
import { isJson, type Json, toFlag, toRecords, toText } from '../../json-value.ts';
import type { DirectoryChannel } from '../../state/slack-directory.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { toPage } from '../paging.ts';
import { openDirectMessage } from '../post-message.ts';

const { botUserId } = IDENTITY.app;

/** The `conversations.*` methods where the backend differs from Slack, and reactions. */
export function createConversationMethods(core: WorkspaceCore): ApiMethods {
  const { directory } = core;
  return {
    'conversations.list': (args) => listChannels(core, args, () => true),
    'users.conversations': (args) => {
      const user = toText(args.user) || botUserId;
      return listChannels(core, args, (channel) => channel.members.includes(user));
    },
    'conversations.info': (args) => {
      const channel = findVisible(core, toText(args.channel));
      return channel === undefined
        ? slackError('channel_not_found')
        : slackOk({ channel: toConversation(core, channel) });
    },
    'conversations.members': (args) => {
      const channel = findVisible(core, toText(args.channel));
      if (channel === undefined) {
        return slackError('channel_not_found');
      }
      const page = toPage(channel.members, args, (id) => id);
      return slackOk({
        members: page.items,
        response_metadata: { next_cursor: page.nextCursor },
      });
    },
    'conversations.open': async (args) => {
      const [user = '', ...others] = toText(args.users).split(',').filter(Boolean);
      const member = directory.findMember(user);
      if (others.length > 0) {
        return slackError('method_not_supported_for_channel_type');
      }
      if (member === undefined || member.deleted) {
        return slackError(member === undefined ? 'user_not_found' : 'user_disabled');
      }
      const channel = await openDirectMessage(core, member.id);
      if (channel === undefined) {
        return slackError('cannot_dm_bot');
      }
      return slackOk({
        channel: toFlag(args.return_im) ? toConversation(core, channel) : { id: channel.id },
      });
    },
    'conversations.history': (args) => readMessages(core, args, 'conversations.history'),
    'conversations.replies': (args) => readMessages(core, args, 'conversations.replies'),
    'reactions.add': (args) => react(core, 'reactions.add', args),
    'reactions.remove': (args) => react(core, 'reactions.remove', args),
  };
}

/** Returns a channel that is visible to the app: a public one, or one it is in. */
function findVisible(core: WorkspaceCore, id: string): DirectoryChannel | undefined {
  const channel = core.directory.findChannel(id);
  return channel !== undefined && (channel.kind === 'channel' || hasApp(channel))
    ? channel
    : undefined;
}

const KIND_NAMES = { channel: 'public_channel', private: 'private_channel', im: 'im' } as const;

function listChannels(
  core: WorkspaceCore,
  args: Json,
  matches: (channel: DirectoryChannel) => boolean,
): Json {
  const types = (toText(args.types) || 'public_channel').split(',').map((type) => type.trim());
  const channels = core.directory
    .channels()
    .filter(({ id }) => findVisible(core, id) !== undefined)
    .filter((channel) => types.includes(KIND_NAMES[channel.kind]) && matches(channel))
    .filter((channel) => !(toFlag(args.exclude_archived) && channel.isArchived));
  const page = toPage(channels, args, ({ id }) => id);
  return slackOk({
    channels: page.items.map((channel) => toConversation(core, channel)),
    response_metadata: { next_cursor: page.nextCursor },
  });
}

/**
 * Converts a channel to Slack's format.
 * https://docs.slack.dev/reference/objects/conversation-object
 */
export function toConversation(core: WorkspaceCore, channel: DirectoryChannel): Json {
  if (channel.kind === 'im') {
    return { id: channel.id, is_im: true, user: channel.name, is_open: true, is_archived: false };
  }
  const isShared = channel.members.some(
    (id) => core.directory.findMember(id)?.teamId !== IDENTITY.team.id,
  );
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'private',
    is_im: false,
    is_mpim: false,
    is_private: channel.kind === 'private',
    is_archived: channel.isArchived,
    is_general: channel.name === 'general',
    is_shared: isShared,
    is_ext_shared: isShared,
    is_member: hasApp(channel),
    num_members: channel.members.length,
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    context_team_id: IDENTITY.team.id,
  };
}

async function readMessages(
  core: WorkspaceCore,
  args: Json,
  method: 'conversations.history' | 'conversations.replies',
): Promise<Json> {
  const channel = toText(args.channel);
  const found = findVisible(core, channel);
  if (found === undefined) {
    return slackError('channel_not_found');
  }
  if (!hasApp(found)) {
    return slackError('not_in_channel');
  }
  const isThread = method === 'conversations.replies';
  const stored = await readAll(core, method, { channel, ts: args.ts });
  if (isThread && stored.length === 0) {
    return slackError('thread_not_found');
  }
  const inRange = stored.filter(
    ({ ts }, index) => (isThread && index === 0) || isInRange(toText(ts), args),
  );
  const page = toPage(inRange, args, ({ ts }) => toText(ts), isThread ? 1000 : 100);
  return slackOk({
    messages: page.items.map((message) =>
      decorate(core, channel, message, toFlag(args.include_all_metadata)),
    ),
    has_more: page.nextCursor !== '',
    response_metadata: { next_cursor: page.nextCursor },
  });
}

/** Reads all pages from the backend, which does not support `oldest` and `latest`. */
async function readAll(core: WorkspaceCore, method: string, args: Json): Promise<readonly Json[]> {
  const all: Json[] = [];
  let cursor = '';
  do {
    const answer = await core.backend.call(botUserId, method, { ...args, limit: 1000, cursor });
    all.push(...toRecords(answer.messages));
    cursor = isJson(answer.response_metadata) ? toText(answer.response_metadata.next_cursor) : '';
  } while (cursor !== '');
  return all;
}

function isInRange(ts: string, { oldest, latest, inclusive }: Json): boolean {
  const [from, to] = [toText(oldest), toText(latest)];
  const included = toFlag(inclusive);
  const afterOldest = from === '' || Number(ts) > Number(from) || (included && ts === from);
  const beforeLatest = to === '' || Number(ts) < Number(to) || (included && ts === to);
  return afterOldest && beforeLatest;
}

/** Adds to the backend's message what it lacks: bot fields, team, files as given. */
function decorate(core: WorkspaceCore, channel: string, message: Json, metadata: boolean): Json {
  const known = core.messages.find(channel, toText(message.ts));
  const { metadata: _hidden, ...rest } = message;
  if (known === undefined) {
    return metadata ? message : rest;
  }
  return { ...rest, ...toEventMessage(core, known, metadata) };
}

async function react(core: WorkspaceCore, method: string, args: Json): Promise<Json> {
  const answer = await core.backend.call(botUserId, method, args);
  const message = core.messages.find(toText(args.channel), toText(args.timestamp));
  if (answer.ok === true && message !== undefined) {
    const name = toText(args.name);
    const users = message.reactions.find((reaction) => reaction.name === name)?.users ?? [];
    const others = users.filter((user) => user !== botUserId);
    const next = method === 'reactions.add' ? [...others, botUserId] : others;
    core.messages.put({
      ...message,
      reactions: [
        ...message.reactions.filter((reaction) => reaction.name !== name),
        ...(next.length > 0 ? [{ name, users: next }] : []),
      ],
    });
  }
  return answer;
}
