import type { Sight } from '../workspace/workspace-port.ts';
import { useScene } from './names.ts';
import { replies } from './thread-view.ts';
import { decodeTyped } from './typed-text.ts';
import { useUi } from './ui.ts';

type Chat = Sight['assistantThreads'][number];

/** The chat of the app's assistant pane that a thread is; undefined for any other thread. */
function chatOf(sight: Sight, channel: string, threadTs: string): Chat | undefined {
  return sight.assistantThreads.find(
    (chat) => chat.channel === channel && chat.threadTs === threadTs,
  );
}

/** Begins a chat in the app's assistant pane, as Slack's own button does. */
export function NewChatButton() {
  const { backend, attempt, go } = useUi();
  const open = async () => {
    const chat = await attempt(backend.openAssistant());
    if (chat !== undefined) go({ channel: chat.channel, thread: chat.threadTs, tab: 'messages' });
  };
  return (
    <button type="button" class="button plain" onClick={() => void open()}>
      New chat
    </button>
  );
}

/** Names a thread: by the title that the app gave its chat, else as what it is. */
export function useThreadName(channel: string, threadTs: string): string {
  const { sight, start } = useScene();
  const chat = chatOf(sight, channel, threadTs);
  if (chat === undefined) return 'Thread';
  return chat.title === undefined ? 'New chat' : decodeTyped(chat.title, start.app);
}

/** Offers the messages that the app suggests in a chat, until a person has written there; a press sends one. */
export function ChatPrompts({ channel, threadTs }: { channel: string; threadTs: string }) {
  const { sight } = useScene();
  const { backend, attempt } = useUi();
  const prompts = chatOf(sight, channel, threadTs)?.prompts ?? [];
  const hasBegun = replies(sight, channel, threadTs).some(({ user }) => user === sight.me.id);
  if (prompts.length === 0 || hasBegun) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a flex row in every browser.
    <div class="suggestions" role="group" aria-label="Suggested prompts">
      {prompts.map(({ title, message }) => (
        <button
          key={title}
          type="button"
          class="chip"
          title={message}
          onClick={() => void attempt(backend.say({ channel, threadTs, text: message }))}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
