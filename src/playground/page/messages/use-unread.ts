import { useRef } from 'preact/hooks';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';
import { channelMessages } from './thread-messages.ts';

/**
 * Returns the channels with messages that the current person has not seen since the page opened.
 */
export function useUnread(
  workspace: WorkspaceView | undefined,
  current: string | undefined,
): ReadonlySet<string> {
  const opened = useRef<string>(undefined);
  const seen = useRef(new Map<string, string>());
  if (workspace === undefined) return new Set();
  opened.current ??= workspace.messages.at(-1)?.ts ?? '0';
  const unread = new Set<string>();
  for (const channel of workspace.channels) {
    const latest = channelMessages(workspace, channel.id).at(-1);
    if (latest === undefined) continue;
    const key = `${workspace.me.id} ${channel.id}`;
    if (channel.id === current) seen.current.set(key, latest.ts);
    const last = Number(seen.current.get(key) ?? opened.current);
    if (latest.user !== workspace.me.id && Number(latest.ts) > last) unread.add(channel.id);
  }
  return unread;
}
