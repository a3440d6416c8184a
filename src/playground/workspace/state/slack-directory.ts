import type { Channel, Member } from '../workspace-port.ts';
import {
  type ChannelSeed,
  type GroupSeed,
  IDENTITY,
  type MemberSeed,
  toSlackId,
} from '../workspace-seed.ts';
import { NO_PERSISTENCE, type PersistedState } from './persisted-state.ts';

/** A member with what `users.info` tells beyond the port. */
export interface DirectoryMember extends Member {
  readonly deleted: boolean;
  /** The workspaces of our organization that they belong to; undefined outside of one. */
  readonly teams?: readonly string[];
  readonly tz: string;
  readonly tzLabel: string;
  readonly tzOffset: number;
}

/** A channel with what the Web API needs beyond the port. */
export interface DirectoryChannel extends Channel {
  readonly isArchived: boolean;
}

/** A group that `usergroups.list` shows. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly members: readonly string[];
}

/** Who and what exists in the workspace, in memory, for looking things up without waiting. */
export interface SlackDirectory {
  members(): readonly DirectoryMember[];
  channels(): readonly DirectoryChannel[];
  groups(): readonly UserGroup[];
  /** By name or id; throws for a member that does not exist. */
  member(nameOrId: string): DirectoryMember;
  findMember(id: string): DirectoryMember | undefined;
  /** By name (`#` allowed) or id; throws for a channel that does not exist. */
  channel(nameOrId: string): DirectoryChannel;
  findChannel(id: string): DirectoryChannel | undefined;
  putMember(member: DirectoryMember): void;
  putChannel(channel: DirectoryChannel): void;
  putGroup(group: UserGroup): void;
}

/** Creates the directory from the seed, the app's bot included, with the channels and groups that were kept. */
export function createSlackDirectory(
  members: readonly MemberSeed[],
  channels: readonly ChannelSeed[],
  groups: readonly GroupSeed[],
  kept: PersistedState = NO_PERSISTENCE,
): SlackDirectory {
  const memberById = new Map<string, DirectoryMember>();
  const channelById = new Map<string, DirectoryChannel>();
  const groupById = new Map<string, UserGroup>();
  for (const member of [...members.map(toMember), botMember()]) {
    memberById.set(member.id, member);
  }
  for (const channel of [...channels.map(toChannel), ...changedChannels(kept)]) {
    channelById.set(channel.id, channel);
  }
  for (const group of [...groups.map(toGroup), ...(kept.all('group') as readonly UserGroup[])]) {
    groupById.set(group.id, group);
  }
  return {
    members: () => [...memberById.values()],
    channels: () => [...channelById.values()],
    groups: () => [...groupById.values()],
    member: (nameOrId) => {
      const found =
        memberById.get(nameOrId) ??
        [...memberById.values()].find((member) => member.name === nameOrId);
      return found ?? missing('member', nameOrId, [...memberById.values()]);
    },
    findMember: (id) => memberById.get(id),
    channel: (nameOrId) => {
      const name = nameOrId.replace(/^#/, '');
      const found =
        channelById.get(name) ??
        [...channelById.values()].find((channel) => channel.kind !== 'im' && channel.name === name);
      return found ?? missing('channel', name, [...channelById.values()]);
    },
    findChannel: (id) => channelById.get(id),
    putMember: (member) => void memberById.set(member.id, member),
    putChannel: (channel) => {
      channelById.set(channel.id, channel);
      kept.keep('channel', channel.id, channel);
    },
    putGroup: (group) => {
      groupById.set(group.id, group);
      kept.keep('group', group.id, group);
    },
  };
}

/** The channels that were not there, or were otherwise, in the workspace as it was seeded. */
export function changedChannels(kept: PersistedState): readonly DirectoryChannel[] {
  return kept.all('channel') as readonly DirectoryChannel[];
}

function missing(what: string, asked: string, known: readonly { name: string }[]): never {
  const names = known.map(({ name }) => name).join(', ');
  throw new Error(`The workspace has no ${what} "${asked}"; it has ${names}.`);
}

function toMember(seed: MemberSeed): DirectoryMember {
  return {
    id: toSlackId('U', seed.name),
    teamId: seed.teamId ?? IDENTITY.team.id,
    name: seed.name,
    realName: seed.realName,
    isBot: false,
    isGuest: seed.isGuest ?? false,
    isAdmin: seed.isAdmin ?? false,
    deleted: false,
    ...(seed.teams && { teams: seed.teams }),
    tz: seed.tz ?? 'Etc/UTC',
    tzLabel: seed.tzLabel ?? 'Coordinated Universal Time',
    tzOffset: seed.tzOffset ?? 0,
  };
}

function botMember(): DirectoryMember {
  const { app } = IDENTITY;
  const seed = toMember({ name: app.botName, realName: app.name });
  return { ...seed, id: app.botUserId, isBot: true };
}

function toGroup({ handle, members }: GroupSeed): UserGroup {
  return {
    id: toSlackId('S', handle),
    handle,
    members: members.map((member) => toSlackId('U', member)),
  };
}

function toChannel(seed: ChannelSeed): DirectoryChannel {
  return {
    id: toSlackId('C', seed.name),
    name: seed.name,
    kind: seed.isPrivate === true ? 'private' : 'channel',
    members: [
      ...seed.members.map((member) => toSlackId('U', member)),
      ...(seed.withApp ? [IDENTITY.app.botUserId] : []),
    ],
    isArchived: false,
  };
}
