/**
 * Shows a welcome and prompts when people open the app: in the Messages tab, or in older
 * installations (`assistant_view`) in each chat of the assistant pane. Failures are only logged.
 * Bolt's `Assistant` is not used: it consumes messages, which are stored before Bolt sees them here.
 */
import type { WebClient } from '@slack/web-api';
import type { Desk } from '../../desk/desk.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import type { OpenedChat, OpenedMessages } from '../inbound/parse-event.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { findPosts } from '../outbound/find-posts.ts';
import { chatTitleOf } from '../text/chat-title.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { METADATA } from '../transport/ids.ts';
import { buildGreeting, suggestPrompts } from './greeting.ts';

/** The welcome that people see when they open the app. */
export interface AssistantPane {
  /** Titles a chat of the older pane after its first message. Never rejects. */
  setChatTitle(first: Pick<InboxMessage, 'thread' | 'text'>): Promise<void>;
  /** Welcomes a person in a chat of the older pane that they opened. */
  greetInChat(chat: OpenedChat, isRetry: boolean): Promise<void>;
  /** Welcomes a person who opened the Messages tab. */
  greetInMessages(opened: OpenedMessages): Promise<void>;
}

/** Slack may send an event again while the first one is still handled. */
const MAX_REMEMBERED = 1_000;

interface GreetingDeps {
  readonly client: WebClient;
  readonly identity: SlackIdentity;
  readonly toolbox: Toolbox;
}

/** Creates the welcome of a workspace. */
export function createAssistantPane(
  deps: GreetingDeps & {
    readonly directory: Directory;
    readonly desk: Pick<Desk, 'welcome'>;
    readonly log: Log;
  },
): AssistantPane {
  const { client, identity, toolbox, directory, desk, log } = deps;
  const greeted = new Set<string>();

  async function greetInChat(chat: OpenedChat, isRetry: boolean): Promise<void> {
    const { by, channel, root, thread } = chat;
    if (greeted.has(thread)) return;
    remember(thread);
    if (!(await isFullMember(by, thread))) return;
    await tryOrLog('greet', thread, () => sendGreeting(deps, chat, isRetry));
    await tryOrLog('suggest messages', thread, () => suggest(deps, channel, root));
  }

  /** Only apps with a Messages tab accept prompts without a thread; older ones greet in each chat. */
  async function greetInMessages({ by, channel }: OpenedMessages): Promise<void> {
    if (!(await isFullMember(by, channel))) return;
    await tryOrLog('suggest messages', channel, async () => {
      await suggest(deps, channel);
      if (greeted.has(by.user)) return;
      const text = buildGreeting(identity.botUserId, toolbox);
      await desk.welcome({ person: by, channel, text });
      remember(by.user);
    });
  }

  /** Returns whether the user is a full member; the events do not name their workspace. */
  async function isFullMember(person: Person, place: string): Promise<boolean> {
    const profile = await tryOrLog('find out who opened the app', place, () =>
      directory.profileOf(person, { mayWaitForLimit: true }),
    );
    if (profile?.standing === 'member') return true;
    log.info(
      { user: person.user },
      'Did not welcome a person who is not a full member of this workspace.',
    );
    return false;
  }

  function remember(key: string): void {
    const [oldest] = greeted;
    if (greeted.size >= MAX_REMEMBERED && oldest !== undefined) greeted.delete(oldest);
    greeted.add(key);
  }

  async function tryOrLog<T>(
    what: string,
    place: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error, place }, `A person opened the app: could not ${what}.`);
      return undefined;
    }
  }

  return {
    async setChatTitle({ thread, text }) {
      const title = chatTitleOf(text);
      if (title === '') return;
      const { channel, root } = placeOf(thread);
      await tryOrLog('name the chat', thread, () =>
        client.assistant.threads.setTitle({ channel_id: channel, thread_ts: root, title }),
      );
    },
    greetInChat,
    greetInMessages,
  };
}

/** Posts the welcome in a chat, unless an earlier attempt did. */
async function sendGreeting(
  deps: GreetingDeps,
  { channel, root, thread }: OpenedChat,
  isRetry: boolean,
) {
  const { client, identity, toolbox } = deps;
  const metadata = { event_type: METADATA.outbox, event_payload: { id: `greeting:${thread}` } };
  if (isRetry && (await hasGreeted(deps, channel, root, metadata.event_payload.id))) return;
  const hello = buildNotice(buildGreeting(identity.botUserId, toolbox));
  await client.chat.postMessage({ channel, thread_ts: root, ...hello, metadata });
}

async function hasGreeted(
  { client, identity }: GreetingDeps,
  channel: string,
  root: string,
  id: string,
): Promise<boolean> {
  const { botId } = identity;
  const posts = await findPosts(client, { channel, root, botId, type: METADATA.outbox });
  return posts.some(({ payload }) => payload.id === id);
}

async function suggest(
  { client, toolbox }: GreetingDeps,
  channel: string,
  root?: string,
): Promise<void> {
  await client.assistant.threads.setSuggestedPrompts({
    channel_id: channel,
    ...(root !== undefined && { thread_ts: root }),
    prompts: suggestPrompts(toolbox).map(({ title, message }) => ({ title, message })),
  });
}
