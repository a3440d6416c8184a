import type { Channel, Member } from '../workspace-port.ts';
import {
  type ChannelSeed,
  type GroupSeed,
  IDENTITY,
  type MemberSeed,
  toSlackId,
} from '../workspace-seed.ts';
import { NO_PERSISTENCE, type PersistedState } from './persisted-state.ts';

/** A member with the additional fields of `users.info`. */
export interface DirectoryMember extends Member {
  readonly deleted: boolean;
  /** The member's workspaces in our organization. Undefined outside of one. */
  readonly teams?: readonly string[];
  readonly tz: string;
  readonly tzLabel: string;
  readonly tzOffset: number;
}

/** A channel with additional fields of the Web API. */
export interface DirectoryChannel extends Channel {
  readonly isArchived: boolean;
}

/** A user group of `usergroups.list`. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly members: readonly string[];
}

/** The members, channels and groups of the workspace, in memory. */
export interface SlackDirectory {
  members(): readonly DirectoryMember[];
  channels(): readonly DirectoryChannel[];
  groups(): readonly UserGroup[];
  /** Finds a member by name or id. Throws if there is none. */
  member(nameOrId: string): DirectoryMember;
  findMember(id: string): DirectoryMember | undefined;
  /** Finds a channel by name (`#` allowed) or id. Throws if there is none. */
  channel(nameOrId: string): DirectoryChannel;
  findChannel(id: string): DirectoryChannel | undefined;
  putMember(member: DirectoryMember): void;
  putChannel(channel: DirectoryChannel): void;
  putGroup(group: UserGroup): void;
}

/** Creates the directory from the seed, the app's bot, and the persisted channels and groups. */
export function createSlackDirectory(
  members: readonly MemberSeed[],
  channels: readonly ChannelSeed[],
  groups: readonly GroupSeed[],
  persisted: PersistedState = NO_PERSISTENCE,
): SlackDirectory {
  const memberById = new Map<string, DirectoryMember>();
  const channelById = new Map<string, DirectoryChannel>();
  const groupById = new Map<string, UserGroup>();
  for (const member of [...members.map(toMember), botMember()]) {
    memberById.set(member.id, member);
  }
  for (const channel of [...channels.map(toChannel), ...changedChannels(persisted)]) {
    channelById.set(channel.id, channel);
  }
  for (const group of [
    ...groups.map(toGroup),
    ...(persisted.all('group') as readonly UserGroup[]),
  ]) {
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
      persisted.keep('channel', channel.id, channel);
    },
    putGroup: (group) => {
      groupById.set(group.id, group);
      persisted.keep('group', group.id, group);
    },
  };
}

/** Returns the persisted channels: those that are new or differ from the seed. */
export function changedChannels(persisted: PersistedState): readonly DirectoryChannel[] {
  return persisted.all('channel') as readonly DirectoryChannel[];
}

function missing(what: string, name: string, known: readonly { name: string }[]): never {
  const names = known.map(({ name }) => name).join(', ');
  throw new Error(`The workspace has no ${what} "${name}"; it has ${names}.`);
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
