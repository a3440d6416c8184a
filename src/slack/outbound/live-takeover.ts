import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../domain/calls/call.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { findLiveMessage } from './find-posts.ts';

/** Errors of chat.stopStream if there is no running stream. */
const STOPPED: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);

/** Ends the live message of a thread, which then becomes the first part of the answer or is deleted. */
export function createLiveTakeover({
  client,
  botId,
  sessions,
}: {
  readonly client: WebClient;
  readonly botId: string;
  readonly sessions: Pick<AgentSessions, 'atStreamEnd'>;
}) {
  async function find(thread: ThreadKey, live: CardPlace): Promise<string | undefined> {
    if (live.ts !== '') return live.ts;
    const { channel, root } = placeOf(thread);
    return await withSlackErrors('look for the live message', () =>
      findLiveMessage(client, { channel, root, botId }),
    );
  }

  /** Ends the stream, since a streaming message can’t be updated. Ignores that there is none. */
  async function stop(thread: ThreadKey, ts: string): Promise<void> {
    const { channel } = placeOf(thread);
    try {
      const session = sessions.atStreamEnd(thread);
      await withSlackErrors('end the stream', () =>
        client.chat.stopStream({ channel, ts, ...session }),
      );
    } catch (error) {
      if (!(error instanceof ChatError) || !STOPPED.has(error.code)) throw error;
    }
  }

  async function remove(thread: ThreadKey, ts: string): Promise<void> {
    const { channel } = placeOf(thread);
    try {
      await withSlackErrors('delete the live message', () => client.chat.delete({ channel, ts }));
    } catch (error) {
      if (!(error instanceof ChatError) || error.code !== 'gone') throw error;
    }
  }

  return {
    remove,
    /** Returns the stopped message, for the first part; deletes it if that part, `first`, is already posted. */
    async takeOver(
      thread: ThreadKey,
      live: CardPlace,
      first: string | undefined,
    ): Promise<string | undefined> {
      const ts = await find(thread, live);
      if (ts === undefined || ts === first) return undefined;
      await stop(thread, ts);
      if (first === undefined) return ts;
      await remove(thread, ts);
      return undefined;
    },
    async clear(thread: ThreadKey, live: CardPlace): Promise<void> {
      const ts = await find(thread, live);
      if (ts === undefined) return;
      await stop(thread, ts);
      await remove(thread, ts);
    },
  };
}
