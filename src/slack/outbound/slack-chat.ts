import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { type Chat, ChatError } from '../../domain/ports/chat.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { Say } from '../../domain/threads/outbox-message.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { doing } from '../transport/with-slack-errors.ts';
import { createAgentSessions } from './agent-sessions.ts';
import { buildNotice, buildSayParts, ownWords } from './build-messages.ts';
import { createLiveMessage } from './live-message.ts';
import { createDrawPosts } from './post-cards.ts';
import { createSayInThread } from './post-in-thread.ts';
import { createTeller } from './private-notices.ts';
import { threadPlace } from './thread-location.ts';

/** Makes the chat of a workspace: cards and words are drawn from what they are given, nothing is kept. */
export function createSlackChat(deps: {
  readonly connection: SlackConnection;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  /** How much of a call a notification tells. (Default: what it would do, in one line.) */
  readonly detail?: NotificationDetail;
  readonly log: Log;
}): Chat {
  const { connection, detail = 'summary', toolbox, mark } = deps;
  const { client, identity } = connection;
  const teller = createTeller({ client, log: deps.log });
  const sessions = createAgentSessions({ client, log: deps.log });
  const growing = { client, botId: identity.botId, sessions };
  const inThread = createSayInThread(growing);

  async function say(say: Say, options: Parameters<Chat['say']>[1]): Promise<void> {
    if (say.kind === 'private') return sayPrivately(say);
    try {
      await inThread.say(say, options);
    } catch (error) {
      if (say.to === undefined || !(error instanceof ChatError)) throw error;
      if (error.code !== 'undeliverable') throw error;
      await sayDirectly(say, say.to.user, error);
    }
  }

  async function sayDirectly(say: Say, user: string, error: ChatError): Promise<void> {
    const { channel, root } = threadPlace(say.thread);
    const where = `${root === undefined ? '' : 'our thread in '}<#${channel}>`;
    const reason = `This was meant for ${where}. ${error.message}`;
    await doing('write to a person', async () => {
      await teller.tellDirectly(user, buildNotice(reason));
      // A rating counts in the thread of its turn only.
      const { turn: _, ...rest } = say;
      for (const message of buildSayParts(rest)) await teller.tellDirectly(user, message);
    });
  }

  async function sayPrivately(say: Say): Promise<void> {
    const { channel, root } = threadPlace(say.thread);
    if (say.to === undefined) throw new ChatError('rejected', `Say ${say.id} is to nobody.`);
    const { user } = say.to;
    const text = ownWords(say);
    await doing('tell a person', () =>
      say.isDirect
        ? teller.tellDirectly(user, buildNotice(text))
        : teller.tell({ user, channel, root, text }),
    );
  }

  return {
    ...createDrawPosts({ client, botId: identity.botId, toolbox, mark, detail }),
    say,
    setStatus: sessions.setStatus,
    growLive: (turn, left) => createLiveMessage(growing, turn, left),
    clearLive: inThread.clear,
  };
}
