import type { WorkspaceMessage, WorkspaceView } from '../../workspace/workspace-port.ts';

/** True for a message that stands in a thread below its root. */
export function isReply(message: WorkspaceMessage): boolean {
  return message.threadTs !== undefined && message.threadTs !== message.ts;
}

/** The messages of a channel itself, oldest first. */
export function channelMessages(
  sight: WorkspaceView,
  channel: string,
): readonly WorkspaceMessage[] {
  return sight.messages.filter((message) => message.channel === channel && !isReply(message));
}

/** A thread's replies, oldest first. */
export function replies(
  sight: WorkspaceView,
  channel: string,
  root: string,
): readonly WorkspaceMessage[] {
  return sight.messages.filter(
    (message) => message.channel === channel && isReply(message) && message.threadTs === root,
  );
}

/** The moment of a Slack timestamp. */
export function dateOfTs(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

const GROUPING_MS = 5 * 60_000;

/** True when a message goes on from the one before: same author, soon after, no thread between. */
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
