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

/** Returns the workspace as one member sees it. */
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

/** Returns whether a message is visible to a member. */
export function isVisible(core: WorkspaceCore, userId: string, message: StoredMessage): boolean {
  const channel = core.directory.findChannel(message.channel);
  return (
    channel?.members.includes(userId) === true &&
    (message.visibleTo === undefined || message.visibleTo === userId)
  );
}

/** Converts a member to its public form. */
export function toMember(member: DirectoryMember): Member {
  const { id, teamId, name, realName, isBot, isGuest, isAdmin } = member;
  return { id, teamId, name, realName, isBot, isGuest, isAdmin };
}

/**
 * Converts a channel to its public form. A DM has the app's id, because all DMs are with the app.
 */
export function toChannel({ id, name, kind, members }: DirectoryChannel): Channel {
  return { id, name: kind === 'im' ? IDENTITY.app.botUserId : name, kind, members };
}

function toView(stored: HeldView): View & { id: string } {
  // The view was validated, so its type is known.
  return toSlackView(stored, true) as unknown as View & { id: string };
}

function toOpenView(stored: HeldView): OpenView {
  const { id, hash, errors } = stored;
  return { id, hash, view: toView(stored), errors, state: stateOf(stored) };
}
