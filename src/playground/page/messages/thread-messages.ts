import type { WorkspaceMessage, WorkspaceView } from '../../workspace/workspace-port.ts';

/** Returns whether a message is a reply in a thread. */
export function isReply(message: WorkspaceMessage): boolean {
  return message.threadTs !== undefined && message.threadTs !== message.ts;
}

/** Returns the messages of a channel without replies, oldest first. */
export function channelMessages(
  workspace: WorkspaceView,
  channel: string,
): readonly WorkspaceMessage[] {
  return workspace.messages.filter((message) => message.channel === channel && !isReply(message));
}

/** Returns a thread's replies, oldest first. */
export function replies(
  workspace: WorkspaceView,
  channel: string,
  root: string,
): readonly WorkspaceMessage[] {
  return workspace.messages.filter(
    (message) => message.channel === channel && isReply(message) && message.threadTs === root,
  );
}

/** Converts a Slack timestamp to a date. */
export function dateOfTs(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

const GROUPING_MS = 5 * 60_000;

/**
 * Returns whether a message is grouped with the one before: same author and audience, within five
 * minutes.
 */
export function continuesPrevious(
  message: WorkspaceMessage,
  before: WorkspaceMessage | undefined,
): boolean {
  if (before === undefined || authorOf(message) !== authorOf(before)) return false;
  if (message.visibleTo !== before.visibleTo) return false;
  return dateOfTs(message.ts).getTime() - dateOfTs(before.ts).getTime() < GROUPING_MS;
}

function authorOf(message: WorkspaceMessage): string {
  return message.user ?? message.botId ?? '';
}
