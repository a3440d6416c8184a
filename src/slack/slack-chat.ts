import type { WebClient } from '@slack/web-api';
import type { Call, CardPlace } from '../domain/call.ts';
import { type Chat, ChatError } from '../domain/chat.ts';
import type { Log } from '../domain/log.ts';
import type { Outlook } from '../domain/outlook.ts';
import type { SecretMark } from '../domain/secret-mark.ts';
import type { Say } from '../domain/store.ts';
import { isChannelItself, placeOf } from '../domain/thread-key.ts';
import type { Toolbox } from '../domain/tool.ts';
import { buildCallCard } from './cards/call-card.ts';
import type { SlackConnection } from './connect-slack.ts';
import { doing } from './doing.ts';
import { findPosts } from './find-posts.ts';
import { METADATA } from './ids.ts';
import { createLiveMessage } from './live-message.ts';
import { createSayInThread } from './say-in-thread.ts';
import { buildNotice, buildSayParts, ownWords } from './say-parts.ts';
import { createTeller } from './teller.ts';

const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** Makes the chat of a workspace: cards and words are drawn from what they are given, nothing is kept. */
export function createSlackChat(deps: {
  readonly connection: SlackConnection;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  readonly log: Log;
}): Chat {
  const { connection, toolbox, mark } = deps;
  const { client, identity } = connection;
  const teller = createTeller({ client, log: deps.log });
  const inThread = createSayInThread({ client, botId: identity.botId });

  async function drawCard(
    call: Call,
    place: CardPlace | undefined,
    options: Parameters<Chat['drawCard']>[2],
  ): Promise<CardPlace> {
    const card = drawing(call, options.outlook);
    const earlier = place ?? (options.lookFirst ? await findCard(call) : undefined);
    if (earlier === undefined) return postCard(client, call, card);
    await doing('redraw the card', () =>
      client.chat.update({ channel: earlier.channel, ts: earlier.ts, ...card }),
    );
    return earlier;
  }

  function drawing(call: Call, outlook: Outlook | undefined) {
    const tool = toolbox.get(call.tool);
    const card = buildCallCard(call, { mark, ...(tool && { tool }), ...(outlook && { outlook }) });
    const metadata = { event_type: METADATA.card, event_payload: { call_id: call.id } };
    return { ...card, metadata };
  }

  async function findCard(call: Call): Promise<CardPlace | undefined> {
    const { channel, root } = placeOf(call.thread);
    const posts = await doing('look for the card', () =>
      findPosts(client, { channel, root, botId: identity.botId, type: METADATA.card }),
    );
    const found = posts.find((post) => post.payload.call_id === call.id);
    return found && { channel, ts: found.ts };
  }

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
    const place = placeOf(say.thread);
    const where = `${isChannelItself(place) ? '' : 'our thread in '}<#${place.channel}>`;
    const reason = `This was meant for ${where}. ${error.message}`;
    await doing('write to a person', async () => {
      await teller.tellDirectly(user, buildNotice(reason));
      // A rating counts in the thread of its turn only.
      const { turn: _, ...rest } = say;
      for (const message of buildSayParts(rest)) await teller.tellDirectly(user, message);
    });
  }

  async function sayPrivately(say: Say): Promise<void> {
    const { channel, root } = placeOf(say.thread);
    if (say.to === undefined) throw new ChatError('rejected', `Say ${say.id} is to nobody.`);
    const { user } = say.to;
    await doing('tell a person', () => teller.tell({ user, channel, root, text: ownWords(say) }));
  }

  async function setStatus(thread: Parameters<Chat['setStatus']>[0], text: string): Promise<void> {
    const { channel, root } = placeOf(thread);
    await doing('set the status', () =>
      client.assistant.threads.setStatus({ channel_id: channel, thread_ts: root, status: text }),
    );
  }

  return {
    drawCard,
    say,
    setStatus,
    growLive: (turn, left) => createLiveMessage({ client, botId: identity.botId }, turn, left),
    clearLive: inThread.clear,
  };
}

async function postCard(
  client: WebClient,
  call: Call,
  card: ReturnType<typeof buildCallCard> & {
    metadata: { event_type: string; event_payload: { call_id: string } };
  },
): Promise<CardPlace> {
  const { channel, root } = placeOf(call.thread);
  const posted = await doing('post the card', () =>
    client.chat.postMessage({ channel, thread_ts: root, ...card, ...QUIET }),
  );
  if (posted.ts === undefined)
    throw new ChatError('temporary', 'Slack named no place of the card.');
  return { channel: posted.channel ?? channel, ts: posted.ts };
}
