/**
 * What people find when they open the app: in the Messages tab a welcome and prompts, in an
 * installation of the older form (`assistant_view`) the same in each chat of the assistant pane. Not
 * by Bolt's `Assistant`: that takes messages for itself, while here every message has been stored
 * before Bolt sees it. All of it is a courtesy: what fails is logged and holds up nothing.
 */
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Desk } from '../../desk/desk.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { findPosts } from '../outbound/find-posts.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { METADATA } from '../transport/ids.ts';
import { buildGreeting, chatTitleOf, suggestPrompts } from './greeting.ts';
import {
  type OpenedAssistantPane,
  parseAssistantPaneEvent,
  parseOpenedTab,
} from './parse-assistant-event.ts';

/** The app as people open it. */
export interface AssistantPane {
  /** Names a chat of the older form after its first message; never rejects. */
  entitle(first: Pick<InboxMessage, 'thread' | 'text'>): Promise<void>;
  /** Hears on this app of what people open. */
  register(bolt: App): void;
}

/** Events may be told more than once, and by the time of the second the first may be under way. */
const MAX_REMEMBERED = 1_000;

/** Makes the pane of a workspace. */
export function createAssistantPane(deps: {
  readonly client: WebClient;
  readonly identity: SlackIdentity;
  readonly toolbox: Toolbox;
  readonly directory: Directory;
  readonly desk: Pick<Desk, 'welcome'>;
  readonly log: Log;
}): AssistantPane {
  const { client, identity, toolbox, directory, desk, log } = deps;
  const greeted = new Set<string>();

  async function greetInChat(body: unknown, isRepeated: boolean): Promise<void> {
    const pane = parseAssistantPaneEvent(body, identity);
    if (pane === undefined || greeted.has(pane.thread)) return;
    remember(pane.thread);
    const { channel, root, thread, user } = pane;
    if (!(await mayBeHere(user, thread))) return;
    await courtesy('greet', thread, () => sendGreeting(pane, isRepeated));
    await courtesy('suggest messages', thread, () => suggest(channel, root));
  }

  /** Only an app with a Messages tab takes prompts without a thread: one of the older form greets in its chats. */
  async function greetInTab(body: unknown): Promise<void> {
    const tab = parseOpenedTab(body, identity);
    if (tab === undefined) return;
    const { channel, user } = tab;
    if (!(await mayBeHere(user, channel))) return;
    await courtesy('suggest messages', channel, async () => {
      await suggest(channel);
      if (greeted.has(user)) return;
      const person = { team: identity.team, user };
      await desk.welcome({ person, channel, text: buildGreeting(identity.botUserId, toolbox) });
      remember(user);
    });
  }

  /** The events say only who, not of which workspace. */
  async function mayBeHere(user: string, place: string): Promise<boolean> {
    const profile = await courtesy('find out who opened the app', place, () =>
      directory.profileOf({ team: identity.team, user }, { mayWaitForLimit: true }),
    );
    if (profile?.standing === 'member') return true;
    log.info({ user }, 'Did not welcome somebody who is no full member of this workspace.');
    return false;
  }

  async function sendGreeting({ channel, root, thread }: OpenedAssistantPane, isRepeated: boolean) {
    const metadata = { event_type: METADATA.say, event_payload: { id: `greeting:${thread}` } };
    if (isRepeated && (await hasGreeted(channel, root, metadata.event_payload.id))) return;
    const hello = buildNotice(buildGreeting(identity.botUserId, toolbox));
    await client.chat.postMessage({ channel, thread_ts: root, ...hello, metadata });
  }

  async function hasGreeted(channel: string, root: string, id: string): Promise<boolean> {
    const { botId } = identity;
    const posts = await findPosts(client, { channel, root, botId, type: METADATA.say });
    return posts.some(({ payload }) => payload.id === id);
  }

  async function suggest(channel: string, root?: string): Promise<void> {
    await client.assistant.threads.setSuggestedPrompts({
      channel_id: channel,
      ...(root !== undefined && { thread_ts: root }),
      prompts: suggestPrompts(toolbox).map(({ title, message }) => ({ title, message })),
    });
  }

  function remember(whom: string): void {
    const [oldest] = greeted;
    if (greeted.size >= MAX_REMEMBERED && oldest !== undefined) greeted.delete(oldest);
    greeted.add(whom);
  }

  async function courtesy<T>(
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
    async entitle({ thread, text }) {
      const title = chatTitleOf(text);
      if (title === '') return;
      const { channel, root } = placeOf(thread);
      await courtesy('name the chat', thread, () =>
        client.assistant.threads.setTitle({ channel_id: channel, thread_ts: root, title }),
      );
    },
    register(bolt) {
      bolt.event('app_home_opened', ({ body }) => greetInTab(body));
      // A session is called what people call it.
      bolt.event('agent_session_title_changed', async () => {});
      bolt.event('assistant_thread_started', ({ body, context }) =>
        greetInChat(body, (context.retryNum ?? 0) > 0),
      );
      // An installation of the older form still sends this. Which channel a person looks at is not
      // told to the agent: it has nothing to read it with, and would only guess.
      bolt.event('assistant_thread_context_changed', async () => {});
    },
  };
}
