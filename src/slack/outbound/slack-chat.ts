import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { type Chat, ChatError } from '../../domain/ports/chat.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import { createAgentSessions } from './agent-sessions.ts';
import { buildNotice, buildOutboxParts, writeOwnText } from './build-messages.ts';
import { createLiveMessage } from './live-message.ts';
import { createPostCards } from './post-cards.ts';
import { createPostInThread } from './post-in-thread.ts';
import { createPrivateNotices } from './private-notices.ts';
import { threadLocationOf } from './thread-location.ts';

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
  const privateNotices = createPrivateNotices({ client, log: deps.log });
  const sessions = createAgentSessions({ client, log: deps.log });
  const growing = { client, botId: identity.botId, sessions };
  const inThread = createPostInThread(growing);

  async function deliverMessage(
    say: OutboxMessage,
    options: Parameters<Chat['postOutboxMessage']>[1],
  ): Promise<void> {
    if (say.kind === 'private') return sendEphemeral(say);
    try {
      await inThread.say(say, options);
    } catch (error) {
      if (say.to === undefined || !(error instanceof ChatError)) throw error;
      if (error.code !== 'undeliverable') throw error;
      await sendDirectMessage(say, say.to.user, error);
    }
  }

  async function sendDirectMessage(
    say: OutboxMessage,
    user: string,
    error: ChatError,
  ): Promise<void> {
    const { channel, root } = threadLocationOf(say.thread);
    const where = `${root === undefined ? '' : 'our thread in '}<#${channel}>`;
    const reason = `This was meant for ${where}. ${error.message}`;
    await withSlackErrors('write to a person', async () => {
      await privateNotices.tellDirectly(user, buildNotice(reason));
      // A rating counts in the thread of its turn only.
      const { turn: _, ...rest } = say;
      for (const message of buildOutboxParts(rest))
        await privateNotices.tellDirectly(user, message);
    });
  }

  async function sendEphemeral(say: OutboxMessage): Promise<void> {
    const { channel, root } = threadLocationOf(say.thread);
    if (say.to === undefined) throw new ChatError('rejected', `Say ${say.id} is to nobody.`);
    const { user } = say.to;
    const text = writeOwnText(say);
    await withSlackErrors('tell a person', () =>
      say.isDirect
        ? privateNotices.tellDirectly(user, buildNotice(text))
        : privateNotices.tell({ user, channel, root, text }),
    );
  }

  return {
    ...createPostCards({ client, botId: identity.botId, toolbox, mark, detail }),
    postOutboxMessage: deliverMessage,
    setStatus: sessions.setStatus,
    openLiveMessage: (turn, left) => createLiveMessage(growing, turn, left),
    clearLive: inThread.clear,
  };
}
