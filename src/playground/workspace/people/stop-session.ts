import type { Streams } from '../api/methods/stream-methods.ts';
import type { AgentSessions } from '../state/agent-sessions.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { Workspace } from '../workspace-port.ts';

/**
 * Creates Slack's stop button of a session. Slack ends the thread's streams and notifies the app;
 * the app sets the session's status.
 * https://docs.slack.dev/reference/events/agent_session_stopped
 */
export function createStopAction(
  core: WorkspaceCore,
  sessions: AgentSessions,
  streams: Streams,
): Workspace['stopSession'] {
  return async (name, channelName, threadTs) => {
    const member = core.directory.member(name);
    const channel = core.directory.channel(channelName);
    const session = sessions.find(channel.id, threadTs);
    if (session?.status !== 'processing' || !channel.members.includes(member.id)) {
      throw new Error(`${name} sees no stop button in the thread ${threadTs} of ${channel.name}.`);
    }
    await core.delivery.event({
      type: 'agent_session_stopped',
      channel: channel.id,
      user: member.id,
      thread_ts: threadTs,
      streaming_message_ts: streams.endByPerson(channel.id, threadTs),
      event_ts: core.nextTs(),
    });
  };
}
