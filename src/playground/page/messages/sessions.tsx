import type {
  AgentSession,
  OfferedPrompts,
  SessionStatus,
} from '../../workspace/state/agent-sessions.ts';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';
import { usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';
import { decodeTyped } from '../text/typed-text.ts';

/** Returns the app's session in a thread, if there is one. */
function sessionOf(
  workspace: WorkspaceView,
  channel: string,
  threadTs: string,
): AgentSession | undefined {
  return workspace.sessions.find((each) => each.channel === channel && each.threadTs === threadTs);
}

/** Returns the title that the app gave the thread's session, or “Thread”. */
export function useThreadName(channel: string, threadTs: string): string {
  const { workspace, start } = usePageContext();
  const title = sessionOf(workspace, channel, threadTs)?.title;
  return title === undefined ? 'Thread' : decodeTyped(title, start.app);
}

/** Returns the app's suggested prompts for its Messages tab. */
export function promptsOf(workspace: WorkspaceView, channel: string): OfferedPrompts['prompts'] {
  return (
    workspace.prompts.find((each) => each.channel === channel && !each.threadTs)?.prompts ?? []
  );
}

/** Shows the app's suggested prompts. Clicking one sends it and opens its thread. */
export function TabPrompts({ channel }: { channel: string }) {
  const { workspace } = usePageContext();
  const { backend, attempt, go } = useUi();
  const prompts = promptsOf(workspace, channel);
  if (prompts.length === 0) return null;
  const send = async (text: string) => {
    const message = await attempt(backend.say({ channel, text }));
    if (message !== undefined) go({ channel, thread: message.ts, tab: 'messages' });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a flex row in every browser.
    <div class="suggestions" role="group" aria-label="Suggested prompts">
      {prompts.map(({ title, message }) => (
        <button
          key={title}
          type="button"
          class="chip"
          title={message}
          onClick={() => void send(message)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** Shows the app's status in a thread, with Slack's stop button while it works. */
export function SessionState({ channel, threadTs }: { channel: string; threadTs: string }) {
  const { workspace, start } = usePageContext();
  const { backend, attempt } = useUi();
  const status = statusOf(workspace, channel, threadTs);
  const isProcessing = sessionOf(workspace, channel, threadTs)?.status === 'processing';
  const stop = () => void attempt(backend.stopSession({ channel, threadTs }));
  return (
    <div class="status" role="status">
      {status !== undefined && `${start.app.name} ${status}`}
      {isProcessing && (
        <button type="button" class="button plain" aria-label="Stop this session" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  );
}

/** Slack's own texts for session states. */
const SESSION_WORDS: Readonly<Partial<Record<SessionStatus, string>>> = {
  processing: 'is working…',
  suspended: 'is waiting for a person',
  closed: 'has closed this',
};

/** Returns the app's status in a thread, or undefined if there is nothing to show. */
export function statusOf(
  workspace: WorkspaceView,
  channel: string,
  threadTs: string,
): string | undefined {
  const found = workspace.statuses.find(
    (status) => status.channel === channel && status.threadTs === threadTs,
  );
  return (
    found?.status || SESSION_WORDS[sessionOf(workspace, channel, threadTs)?.status ?? 'active']
  );
}
