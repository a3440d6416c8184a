/** Who may talk to the agent, and where. */

import type { Person } from './person.ts';
import type { Profile, WorkspaceMembership } from './profile.ts';

/** The operator's limits on who may talk. Absent means everyone, or everywhere. */
export interface SenderPolicy {
  /** Ids of the people who may talk. */
  readonly users?: ReadonlySet<string>;
  /** Ids of the channels where they may talk. Direct messages are always allowed. */
  readonly channels?: ReadonlySet<string>;
}

/** Why a person is refused: a reason for the audit, and a sentence for the person. */
export interface SenderRefusal {
  readonly why: string;
  readonly sentence: string;
}

const REFUSALS: Readonly<Record<Exclude<WorkspaceMembership, 'member'>, SenderRefusal>> = {
  guest: {
    why: 'a guest',
    sentence: 'I only work for full members of this workspace, and you are a guest here.',
  },
  stranger: {
    why: 'a member of another workspace',
    sentence: 'I only work for members of this workspace, and you come from another one.',
  },
  bot: { why: 'a bot', sentence: 'I only work for people.' },
  gone: { why: 'a deactivated account', sentence: 'This account is deactivated.' },
};

/** Short labels of memberships. */
export const MEMBERSHIP_LABELS: Readonly<Record<WorkspaceMembership, string>> = {
  member: 'a member',
  guest: 'a guest',
  stranger: 'not a member of this workspace',
  bot: 'a bot',
  gone: 'deactivated',
};

/** Explains why the agent does not work for people with this membership; undefined for members. */
export function explainRefusedMembership({
  standing,
}: Pick<Profile, 'standing'>): SenderRefusal | undefined {
  return standing === 'member' ? undefined : REFUSALS[standing];
}

/** Explains why a person may not talk to the agent in a channel; undefined if they may. */
export function explainRefusedSender(
  profile: Profile,
  person: Person,
  channel: string,
  rules: SenderPolicy,
): SenderRefusal | undefined {
  const refused = explainRefusedMembership(profile);
  if (refused) return refused;
  if (rules.users && !rules.users.has(person.user)) {
    return {
      why: 'not among TALK_USERS',
      sentence: 'I only work for people on the operator’s list, and you are not on it yet.',
    };
  }
  if (rules.channels && !isDirect(channel) && !rules.channels.has(channel)) {
    return {
      why: 'not among TALK_CHANNELS',
      sentence: 'I don’t work in this channel. Message me directly, or in a channel where I do.',
    };
  }
  return undefined;
}

/** Returns whether a channel is a direct message with the app. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}
