import { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../../src/domain/calls/call.ts';
import { ChatError, type LiveMessage, type LiveView } from '../../../src/domain/ports/chat.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type {
  Workspace,
  WorkspaceMessage,
} from '../../../src/playground/workspace/workspace-port.ts';
import {
  type AgentSessions,
  createAgentSessions,
} from '../../../src/slack/outbound/agent-sessions.ts';
import { createLiveMessage } from '../../../src/slack/outbound/live-message.ts';
import { createPostInThread } from '../../../src/slack/outbound/post-in-thread.ts';
import { clientOptions } from '../../../src/slack/transport/connect-slack.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Live messages, each in a thread of its own. */
export interface LiveBench {
  readonly sessions: AgentSessions;
  readonly thread: ThreadKey;
  readonly live: LiveMessage;
  /** The replies in the thread. */
  messages(): readonly WorkspaceMessage[];
  /** Redraws until nothing more is needed, and retries what has to wait. */
  draw(text: string, tasks?: LiveView['tasks']): Promise<number>;
  say(text: string, options?: { lookFirst?: boolean; live?: CardPlace }): Promise<void>;
  clear(): Promise<void>;
}

/** A simulated workspace for live messages. */
export interface LiveLab {
  readonly workspace: Workspace;
  readonly clock: ManualClock;
  readonly client: WebClient;
  inChannel(where?: 'channel' | 'direct'): Promise<LiveBench>;
  benchFor(thread: ThreadKey, left?: CardPlace): LiveBench;
}

/** Starts it; the caller stops the workspace. */
export async function setLiveLab(): Promise<LiveLab> {
  const clock = createManualClock(Date.now());
  const workspace = await createWorkspace({ clock });
  const config = { botToken: workspace.botToken, apiUrl: workspace.apiUrl };
  const options = { ...clientOptions(config, log), timeout: 1_500 };
  const client = new WebClient(workspace.botToken, options);

  async function inChannel(where: 'channel' | 'direct' = 'channel'): Promise<LiveBench> {
    const direct = await workspace.directMessage('requester');
    const { id: channel } = where === 'channel' ? workspace.channel('general') : direct;
    const { ts } = await client.chat.postMessage({ channel, text: 'root' });
    return benchFor(threadKey({ team: workspace.team.id, channel, ts: ts ?? '' }));
  }

  function benchFor(thread: ThreadKey, left?: CardPlace): LiveBench {
    const sessions = createAgentSessions({ client, log });
    const deps = { client, botId: workspace.app.botId, sessions };
    const author = { team: workspace.team.id, user: workspace.member('requester').id };
    const live = createLiveMessage(deps, { id: 'turn-1', thread, author }, left);
    const inThread = createPostInThread(deps);
    const root = thread.split('/')[2];
    return {
      thread,
      live,
      sessions,
      messages: () =>
        workspace
          .see('requester')
          .messages.filter(({ threadTs, ts }) => threadTs === root && ts !== root),
      async draw(text, tasks = []) {
        for (let draws = 1; draws < 12; draws += 1) {
          const next = await live.draw({ text, tasks }).catch((error: unknown) => {
            if (!(error instanceof ChatError)) throw error;
            return 'more';
          });
          if (next === 'drawn') return draws;
        }
        throw new Error('It is never drawn.');
      },
      async say(text, { lookFirst = false, live: at = live.place() } = {}) {
        const say: OutboxMessage = { id: 'say-1', thread, kind: 'answer', text, createdAt: 1 };
        await inThread.post(say, { lookFirst, live: at });
      },
      async clear() {
        const place = live.place();
        if (place) await inThread.clear(thread, place);
      },
    };
  }

  return { workspace, clock, client, inChannel, benchFor };
}

/** The Markdown of a message. */
export function markdownOf(message: WorkspaceMessage | undefined): string {
  return (message?.blocks ?? [])
    .flatMap((each) => (each.type === 'markdown' ? [each.text] : []))
    .join('');
}

/** Whether a message has our own stop button. */
export function hasStop(message: WorkspaceMessage | undefined): boolean {
  return JSON.stringify(message?.blocks ?? []).includes('turn.stop');
}
