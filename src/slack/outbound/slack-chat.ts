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
import { createPrivateNotices, type PrivateNotices } from './private-notices.ts';
import { threadLocationOf } from './thread-location.ts';

/** Creates the chat of a workspace. Cards and messages depend on the arguments only. */
export function createSlackChat(deps: {
  readonly connection: SlackConnection;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  /** How much of a call a notification shows. (Default: one line with what it would do.) */
  readonly detail?: NotificationDetail;
  readonly log: Log;
}): Chat {
  const { connection, detail = 'summary', toolbox, mark } = deps;
  const { client, identity } = connection;
  const privateNotices = createPrivateNotices({ client, log: deps.log });
  const sessions = createAgentSessions({ client, log: deps.log });
  const liveDeps = { client, botId: identity.botId, sessions };
  const inThread = createPostInThread(liveDeps);

  async function deliverMessage(
    message: OutboxMessage,
    options: Parameters<Chat['postOutboxMessage']>[1],
  ): Promise<void> {
    if (message.kind === 'private') return sendEphemeral(privateNotices, message);
    try {
      await inThread.post(message, options);
    } catch (error) {
      if (message.to === undefined || !(error instanceof ChatError)) throw error;
      if (error.code !== 'undeliverable') throw error;
      await sendDirectMessage(privateNotices, message, message.to.user, error);
    }
  }

  return {
    ...createPostCards({ client, botId: identity.botId, toolbox, mark, detail }),
    postOutboxMessage: deliverMessage,
    setStatus: sessions.setStatus,
    openLiveMessage: (turn, left) => createLiveMessage(liveDeps, turn, left),
    clearLive: inThread.clear,
  };
}

async function sendDirectMessage(
  privateNotices: PrivateNotices,
  message: OutboxMessage,
  user: string,
  error: ChatError,
): Promise<void> {
  const { channel, root } = threadLocationOf(message.thread);
  const where = `${root === undefined ? '' : 'our thread in '}<#${channel}>`;
  const reason = `This was meant for ${where}. ${error.message}`;
  await withSlackErrors('send a direct message', async () => {
    await privateNotices.tellDirectly(user, buildNotice(reason));
    // Ratings work only in the thread of their turn.
    const { turn: _, ...rest } = message;
    for (const part of buildOutboxParts(rest)) await privateNotices.tellDirectly(user, part);
  });
}

async function sendEphemeral(
  privateNotices: PrivateNotices,
  message: OutboxMessage,
): Promise<void> {
  const { channel, root } = threadLocationOf(message.thread);
  if (message.to === undefined)
    throw new ChatError('rejected', `Outbox message ${message.id} has no recipient.`);
  const { user } = message.to;
  const text = writeOwnText(message);
  await withSlackErrors('send a private message', () =>
    message.isDirect
      ? privateNotices.tellDirectly(user, buildNotice(text))
      : privateNotices.tell({ user, channel, root, text }),
  );
}
