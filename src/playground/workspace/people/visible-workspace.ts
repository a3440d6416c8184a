import type { View } from '@slack/types';
import type { AgentSessions } from '../state/agent-sessions.ts';
import { type StoredMessage, toWorkspaceMessage } from '../state/message-store.ts';
import type { DirectoryChannel, DirectoryMember } from '../state/slack-directory.ts';
import type { ThreadStatuses } from '../state/thread-statuses.ts';
import { type HeldView, stateOf, toSlackView } from '../views/views.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { Channel, Member, OpenView, WorkspaceView } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { PeopleContext } from './interaction-context.ts';

/** Looks at the workspace with one member's eyes. */
export function viewWorkspace(
  { core, views, toasts }: PeopleContext,
  statuses: ThreadStatuses,
  sessions: AgentSessions,
  name: string,
): WorkspaceView {
  const me = core.directory.member(name);
  const channels = core.directory.channels().filter(({ members }) => members.includes(me.id));
  const home = views.homeOf(me.id);
  const isMine = ({ channel }: { channel: string }) => channels.some(({ id }) => id === channel);
  return {
    me: toMember(me),
    members: core.directory.members().map(toMember),
    channels: channels.map(toChannel),
    groups: core.directory.groups(),
    messages: core.messages
      .all()
      .filter((message) => isVisible(core, me.id, message))
      .map(toWorkspaceMessage),
    statuses: statuses.list().filter(isMine),
    sessions: sessions.list().filter(isMine),
    prompts: sessions.prompts().filter(isMine),
    views: views.stackOf(me.id).map(toOpenView),
    ...(home === undefined ? {} : { home: toView(home) }),
    toasts: toasts.of(me.id),
  };
}

/** Tells whether a member sees a message: in their channel, and not meant for one other person. */
export function isVisible(core: WorkspaceCore, userId: string, message: StoredMessage): boolean {
  const channel = core.directory.findChannel(message.channel);
  return (
    channel?.members.includes(userId) === true &&
    (message.visibleTo === undefined || message.visibleTo === userId)
  );
}

/** The member as the port shows it. */
export function toMember(member: DirectoryMember): Member {
  const { id, teamId, name, realName, isBot, isGuest, isAdmin } = member;
  return { id, teamId, name, realName, isBot, isGuest, isAdmin };
}

/** The channel as people see it: a DM bears the app's id, for everybody's DM is with the app. */
export function toChannel({ id, name, kind, members }: DirectoryChannel): Channel {
  return { id, name: kind === 'im' ? IDENTITY.app.botUserId : name, kind, members };
}

function toView(held: HeldView): View & { id: string } {
  // The validator has let it in, so it is a view that Slack knows.
  return toSlackView(held, true) as unknown as View & { id: string };
}

function toOpenView(held: HeldView): OpenView {
  const { id, hash, errors } = held;
  return { id, hash, view: toView(held), errors, state: stateOf(held) };
}
