import { isJson, type Json, toFlag, toText } from '../../json-value.ts';
import type { DirectoryChannel } from '../../state/slack-directory.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import type { ApiMethods } from '../api-method.ts';
import { toConversation } from './conversation-methods.ts';

const { botUserId } = IDENTITY.app;

/**
 * The `conversations.*` methods that change membership. The backend decides, and the directory is
 * updated.
 */
export function createMembershipMethods(core: WorkspaceCore): ApiMethods {
  const { directory, backend } = core;

  const after =
    (method: string, change: (channel: DirectoryChannel, args: Json) => DirectoryChannel) =>
    async (args: Json): Promise<Json> => {
      const answer = await backend.call(botUserId, method, args);
      const before = directory.findChannel(toText(args.channel));
      if (answer.ok !== true || before === undefined) {
        return answer;
      }
      const next = change(before, args);
      directory.putChannel(next);
      core.journal.changed();
      for (const user of next.members.filter((id) => !before.members.includes(id))) {
        announceJoin(core, next, user);
      }
      return 'channel' in answer ? { ...answer, channel: toConversation(core, next) } : answer;
    };

  return {
    'conversations.join': after('conversations.join', (channel) => join(channel, [botUserId])),
    'conversations.invite': after('conversations.invite', (channel, args) =>
      join(channel, toText(args.users).split(',')),
    ),
    'conversations.leave': after('conversations.leave', (channel) => leave(channel, botUserId)),
    'conversations.kick': after('conversations.kick', (channel, args) =>
      leave(channel, toText(args.user)),
    ),
    'conversations.archive': after('conversations.archive', (channel) => ({
      ...channel,
      isArchived: true,
    })),
    'conversations.unarchive': after('conversations.unarchive', (channel) => ({
      ...channel,
      isArchived: false,
    })),
    'conversations.create': async (args) => {
      const answer = await backend.call(botUserId, 'conversations.create', args);
      if (answer.ok !== true || !isJson(answer.channel)) {
        return answer;
      }
      const channel: DirectoryChannel = {
        id: toText(answer.channel.id),
        name: toText(answer.channel.name),
        kind: toFlag(args.is_private) ? 'private' : 'channel',
        members: [botUserId],
        isArchived: false,
      };
      directory.putChannel(channel);
      core.journal.changed();
      return { ...answer, channel: toConversation(core, channel) };
    },
  };
}

function join(channel: DirectoryChannel, users: readonly string[]): DirectoryChannel {
  return { ...channel, members: [...new Set([...channel.members, ...users])] };
}

function leave(channel: DirectoryChannel, user: string): DirectoryChannel {
  return { ...channel, members: channel.members.filter((id) => id !== user) };
}

/** Notifies the app that somebody, possibly itself, joined a channel that it is in. */
export function announceJoin(core: WorkspaceCore, channel: DirectoryChannel, user: string): void {
  if (!channel.members.includes(botUserId)) {
    return;
  }
  void core.delivery.event({
    type: 'member_joined_channel',
    user,
    channel: channel.id,
    channel_type: channel.kind === 'private' ? 'G' : 'C',
    team: IDENTITY.team.id,
    event_ts: core.nextTs(),
  });
}
