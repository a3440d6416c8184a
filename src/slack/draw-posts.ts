/** Draws what stands in Slack for calls: cards, their stubs, and bulletins. Each is known by its metadata, so that it is found where an earlier try ended. */
import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../domain/call.ts';
import { homeOf, isElsewhere } from '../domain/card-home.ts';
import { type Chat, ChatError } from '../domain/chat.ts';
import type { SecretMark } from '../domain/secret-mark.ts';
import type { Toolbox } from '../domain/tool.ts';
import { buildBulletin } from './cards/bulletin.ts';
import { buildCallCard, type CallCard, type CardLook } from './cards/call-card.ts';
import { buildMovedCard, buildStub } from './cards/stub.ts';
import { doing } from './doing.ts';
import { findPosts } from './find-posts.ts';
import { METADATA } from './ids.ts';
import { threadPlace } from './thread-place.ts';

type Metadata = (typeof METADATA)[keyof typeof METADATA];

const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** Makes what draws them. */
export function createDrawPosts(deps: {
  readonly client: WebClient;
  readonly botId: string;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
}): Pick<Chat, 'drawCard' | 'drawStub' | 'closeCard' | 'drawBulletin'> {
  const { client, botId, toolbox, mark } = deps;

  async function find(where: Where, type: Metadata, id: string): Promise<CardPlace | undefined> {
    const posts = await doing('look for an earlier post', () =>
      findPosts(client, { ...where, botId, type }),
    );
    const found = posts.find(({ payload }) => payload[ID_OF[type]] === id);
    return found && { channel: where.channel, ts: found.ts };
  }

  async function post({ channel, root }: Where, message: Marked): Promise<CardPlace> {
    const thread = root === undefined ? {} : { thread_ts: root };
    const posted = await doing('post the card', () =>
      client.chat.postMessage({ channel, ...thread, ...message, ...QUIET }),
    );
    if (posted.ts === undefined)
      throw new ChatError('temporary', 'Slack named no place of the card.');
    return { channel: posted.channel ?? channel, ts: posted.ts };
  }

  async function update({ channel, ts }: CardPlace, message: Marked): Promise<CardPlace> {
    await doing('redraw the card', () => client.chat.update({ channel, ts, ...message }));
    return { channel, ts };
  }

  return {
    async drawCard(call, place, { calls, lookFirst, outlook }) {
      const where = { ...homeOf(call), since: call.createdAt };
      const { channel, root } = threadPlace(call.thread);
      const tool = toolbox.of(call);
      const look: CardLook = {
        mark,
        ...(tool && { tool }),
        ...(outlook && { outlook }),
        ...(isElsewhere(call) && root !== undefined && { asked: { channel, ts: root } }),
      };
      const earlier = place ?? (lookFirst ? await find(where, METADATA.card, call.id) : undefined);
      const draw = (more: Pick<CardLook, 'calls'>) =>
        markAs(buildCallCard(call, { ...look, ...more }), METADATA.card, call.id);
      return earlier
        ? await update(earlier, draw({}))
        : await post(where, draw(calls ? { calls } : {}));
    },
    async drawStub(call, place, { lookFirst, ...look }) {
      const where = { ...threadPlace(call.thread), since: call.createdAt };
      const message = markAs(buildStub(call, look), METADATA.stub, call.id);
      const earlier = place ?? (lookFirst ? await find(where, METADATA.stub, call.id) : undefined);
      return earlier ? await update(earlier, message) : await post(where, message);
    },
    async closeCard(call, place, next) {
      await update(place, markAs(buildMovedCard(call, next), METADATA.left, call.id));
    },
    async drawBulletin(bulletin, { lookFirst }) {
      const { channel, id, place, since } = bulletin;
      const where = { channel, since };
      const earlier = place ?? (lookFirst ? await find(where, METADATA.bulletin, id) : undefined);
      const message = markAs(buildBulletin(bulletin, { isNew: !earlier }), METADATA.bulletin, id);
      return earlier ? await update(earlier, message) : await post(where, message);
    },
  };
}

/** A thread, or the top of a channel, and when what is looked for there began. */
interface Where {
  readonly channel: string;
  readonly root?: string;
  readonly since: number;
}

type Marked = CallCard & {
  readonly metadata: { event_type: string; event_payload: Record<string, string> };
};

/** Under what the metadata of each kind names what it is of. */
const ID_OF: Readonly<Record<Metadata, string>> = {
  [METADATA.card]: 'call_id',
  [METADATA.stub]: 'call_id',
  [METADATA.left]: 'call_id',
  [METADATA.bulletin]: 'id',
  [METADATA.say]: 'id',
  [METADATA.growing]: 'turn',
};

function markAs(message: CallCard, type: Metadata, id: string): Marked {
  return { ...message, metadata: { event_type: type, event_payload: { [ID_OF[type]]: id } } };
}
