/**
 * A member to seed. `teamId` makes a stranger of another workspace, unless `teams` includes ours.
 */
export interface MemberSeed {
  readonly name: string;
  readonly realName: string;
  readonly teamId?: string;
  /** The member's workspaces in our organization. */
  readonly teams?: readonly string[];
  readonly isAdmin?: boolean;
  readonly isGuest?: boolean;
  readonly tz?: string;
  readonly tzLabel?: string;
  /** Seconds east of UTC. */
  readonly tzOffset?: number;
}

/** A channel to seed, with member names. */
export interface ChannelSeed {
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly members: readonly string[];
  /** Whether the app's bot is in the channel. */
  readonly withApp: boolean;
}

/** A user group to seed, with member names. */
export interface GroupSeed {
  readonly handle: string;
  readonly members: readonly string[];
}

/** The default members. */
export const DEFAULT_MEMBERS: readonly MemberSeed[] = [
  { name: 'requester', realName: 'Riley (requester)' },
  { name: 'approver', realName: 'Avery (approver)' },
  { name: 'outsider', realName: 'Oakley (outsider)' },
  { name: 'admin', realName: 'Adair (admin)', isAdmin: true },
  { name: 'guest', realName: 'Gale (guest)', isGuest: true },
  { name: 'stranger', realName: 'Sage (other company)', teamId: 'T0OTHER' },
];

/** The default channels. */
export const DEFAULT_CHANNELS: readonly ChannelSeed[] = [
  {
    name: 'general',
    members: ['requester', 'approver', 'outsider', 'admin', 'guest'],
    withApp: true,
  },
  { name: 'ops', members: ['requester', 'approver', 'admin'], withApp: true },
  { name: 'finance', isPrivate: true, members: ['requester', 'approver'], withApp: false },
  { name: 'shared', members: ['requester', 'approver', 'stranger'], withApp: true },
  { name: 'approvals', isPrivate: true, members: ['approver', 'admin'], withApp: true },
];

/** The default user groups. */
export const DEFAULT_GROUPS: readonly GroupSeed[] = [
  { handle: 'ops-approvers', members: ['approver', 'admin'] },
];

/** Ids that are the same in every simulated workspace, so that stored ids stay valid. */
export const IDENTITY = {
  team: { id: 'T0PLAYGROUND', domain: 'playground' },
  app: {
    id: 'A0COUNTERSIGN',
    botId: 'B0COUNTERSIGN',
    botUserId: 'U0COUNTERSIGN',
    name: 'Countersign',
    botName: 'countersign',
  },
  botToken: 'xoxb-playground-bot',
  appToken: 'xapp-playground-app',
  signingSecret: 'playground-signing-secret',
} as const;

/** Returns a stable Slack id for a name: `requester` is `U0REQUESTER`. */
export function toSlackId(prefix: string, name: string): string {
  return `${prefix}0${name.toUpperCase().replace(/[^A-Z0-9]/g, '')}`;
}
