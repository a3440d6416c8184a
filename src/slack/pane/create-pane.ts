/**
 * Slack's assistant pane. Not by Bolt's `Assistant`: that takes the messages of the pane for itself
 * and keeps a context in Slack's messages, while here every message has been stored at the gate
 * before Bolt sees it, and the pane is one more place where a thread can stand. All of it is a
 * courtesy: what fails is logged and holds up nothing.
 */
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Log } from '../../domain/log.ts';
import type { InboxMessage } from '../../domain/message.ts';
import { placeOf, type ThreadKey } from '../../domain/thread-key.ts';
import type { Toolbox } from '../../domain/tool.ts';
import type { SlackIdentity } from '../connect-slack.ts';
import { findPosts } from '../find-posts.ts';
import { METADATA } from '../ids.ts';
import { buildNotice } from '../say-parts.ts';
import { greet, suggestPrompts, titleOf } from './pane-words.ts';
import { type OpenedPane, parsePaneEvent } from './parse-pane-event.ts';

/** The app in Slack's assistant pane. */
export interface Pane {
  /** Names a chat after its first message; never rejects. */
  entitle(first: Pick<InboxMessage, 'thread' | 'text'>): Promise<void>;
  /** Hears on this app of panes that are opened. */
  register(bolt: App): void;
}

/** Events may be told more than once, and by the time of the second the first may be under way. */
const MOST_REMEMBERED = 1_000;

/** Makes the pane of a workspace. */
export function createPane(deps: {
  readonly client: WebClient;
  readonly identity: SlackIdentity;
  readonly toolbox: Toolbox;
  readonly log: Log;
}): Pane {
  const { client, identity, toolbox, log } = deps;
  const greeted = new Set<ThreadKey>();

  async function welcome(body: unknown, isRepeated: boolean): Promise<void> {
    const pane = parsePaneEvent(body, identity);
    if (pane === undefined || greeted.has(pane.thread)) return;
    remember(pane.thread);
    const mayBeHere = await courtesy('find out who opened the pane', pane.thread, () =>
      isOneOfUs(pane.user),
    );
    if (mayBeHere !== true) return;
    await courtesy('greet', pane.thread, () => sayHello(pane, isRepeated));
    await courtesy('suggest messages', pane.thread, () => suggest(pane));
  }

  /** The event says only who, not of which workspace. */
  async function isOneOfUs(user: string): Promise<boolean> {
    const { user: found } = await client.users.info({ user });
    const isMember = found?.team_id === identity.team && !found.deleted && !found.is_bot;
    if (!isMember) log.info({ user }, 'Left the pane of somebody from elsewhere alone.');
    return isMember;
  }

  async function sayHello({ channel, root, thread }: OpenedPane, isRepeated: boolean) {
    const metadata = { event_type: METADATA.say, event_payload: { id: `greeting:${thread}` } };
    if (isRepeated && (await hasGreeted(channel, root, metadata.event_payload.id))) return;
    const hello = buildNotice(greet(identity.botUserId, toolbox));
    await client.chat.postMessage({ channel, thread_ts: root, ...hello, metadata });
  }

  async function hasGreeted(channel: string, root: string, id: string): Promise<boolean> {
    const { botId } = identity;
    const posts = await findPosts(client, { channel, root, botId, type: METADATA.say });
    return posts.some(({ payload }) => payload.id === id);
  }

  async function suggest({ channel, root }: OpenedPane): Promise<void> {
    await client.assistant.threads.setSuggestedPrompts({
      channel_id: channel,
      thread_ts: root,
      prompts: suggestPrompts(toolbox).map(({ title, message }) => ({ title, message })),
    });
  }

  function remember(thread: ThreadKey): void {
    const [oldest] = greeted;
    if (greeted.size >= MOST_REMEMBERED && oldest !== undefined) greeted.delete(oldest);
    greeted.add(thread);
  }

  async function courtesy<T>(
    what: string,
    thread: ThreadKey,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error, thread }, `The pane: could not ${what}.`);
      return undefined;
    }
  }

  return {
    async entitle({ thread, text }) {
      const title = titleOf(text);
      if (title === '') return;
      const { channel, root } = placeOf(thread);
      await courtesy('name the chat', thread, () =>
        client.assistant.threads.setTitle({ channel_id: channel, thread_ts: root, title }),
      );
    },
    register(bolt) {
      bolt.event('assistant_thread_started', ({ body, context }) =>
        welcome(body, (context.retryNum ?? 0) > 0),
      );
      // Slack asks every app with a pane to hear this. Which channel a person looks at is not told to
      // the agent: it has nothing to read it with, and would only guess.
      bolt.event('assistant_thread_context_changed', async () => {});
    },
  };
}
