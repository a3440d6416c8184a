/** Posts and updates cards, stubs and digests. A retry finds an earlier attempt’s message by its metadata. */
import type { WebClient } from '@slack/web-api';
import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { type Chat, ChatError } from '../../domain/ports/chat.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { buildCallCard, type CallCard, type CardContext } from '../cards/call-card.ts';
import { buildDigestMessage } from '../cards/digest-message.ts';
import { buildNeutralCard } from '../cards/neutral-card.ts';
import { hidesFirstBlocks } from '../cards/notification-text.ts';
import { buildSharedCard } from '../cards/shared-card.ts';
import { buildMovedCard, buildNeutralStub, buildStub } from '../cards/stub.ts';
import { METADATA } from '../transport/ids.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import { findPosts } from './find-posts.ts';
import { threadLocationOf } from './thread-location.ts';

type Metadata = (typeof METADATA)[keyof typeof METADATA];

const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** Creates the posting of cards, stubs and digests. */
export function createPostCards(deps: {
  readonly client: WebClient;
  readonly botId: string;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  readonly detail: NotificationDetail;
}): Pick<Chat, 'drawCard' | 'drawStub' | 'closeCard' | 'drawDigest'> {
  const { client, botId, detail, toolbox, mark } = deps;

  async function find(
    location: PostLocation,
    type: Metadata,
    ids: readonly string[],
    others: readonly CardPlace[] = [],
  ): Promise<CardPlace | undefined> {
    const posts = await withSlackErrors('look for an earlier post', () =>
      findPosts(client, { ...location, botId, type }),
    );
    const isOther = (ts: string) =>
      others.some((other) => other.ts === ts && other.channel === location.channel);
    const isOurs = (payload: Payload) => ids.some((id) => belongsTo(payload, type, id));
    const found = posts.find(({ payload, ts }) => isOurs(payload) && !isOther(ts));
    return found && { channel: location.channel, ts: found.ts };
  }

  async function post({ channel, root }: PostLocation, message: Marked): Promise<CardPlace> {
    const thread = root === undefined ? {} : { thread_ts: root };
    const posted = await withSlackErrors('post the card', () =>
      client.chat.postMessage({ channel, ...thread, ...message, ...QUIET }),
    );
    if (posted.ts === undefined)
      throw new ChatError('temporary', 'Slack returned no timestamp for the card.');
    return { channel: posted.channel ?? channel, ts: posted.ts };
  }

  async function update({ channel, ts }: CardPlace, message: Marked): Promise<CardPlace> {
    await withSlackErrors('redraw the card', () => client.chat.update({ channel, ts, ...message }));
    return { channel, ts };
  }

  function cardContext(
    call: Call,
    {
      availability,
      paused,
      progress,
    }: Pick<Parameters<Chat['drawCard']>[2], 'availability' | 'paused' | 'progress'>,
  ): CardContext {
    const { channel, root } = threadLocationOf(call.thread);
    const tool = toolbox.of(call);
    return {
      mark,
      detail,
      ...(tool && { tool }),
      ...(availability && { availability }),
      ...(paused && { paused }),
      ...(progress && { progress }),
      ...(isInOtherChannel(call) && root !== undefined && { asked: { channel, ts: root } }),
    };
  }

  return {
    async drawCard(
      call,
      place,
      { calls, lookFirst, others, availability, paused, progress, shared },
    ) {
      const location = { ...cardLocationOf(call), since: call.createdAt };
      const base = cardContext(call, { availability, paused, progress });
      // An earlier attempt may have posted it under another first call.
      const ids = shared?.map((each) => each.call.id) ?? [call.id];
      const mark = (card: CallCard) => withMetadata(card, METADATA.card, call.id, shared && ids);
      const draw = (more: Pick<CardContext, 'calls'> = {}) => {
        const context = { ...base, ...more };
        return mark(
          shared
            ? buildSharedCard(shared, { ...context, toolOf: toolbox.of })
            : buildCallCard(call, context),
        );
      };
      const earlier =
        place ?? (lookFirst ? await find(location, METADATA.card, ids, others) : undefined);
      if (earlier) return await update(earlier, draw());
      const withCalls = calls ? { calls } : {};
      if (!hidesFirstBlocks(call, detail)) return await post(location, draw(withCalls));
      const posted = await post(location, mark(buildNeutralCard(call, { ...base, ...withCalls })));
      // The neutral card notifies; an update does not.
      return await update(posted, draw());
    },
    async drawStub(call, place, { lookFirst, ...options }) {
      const location = { ...threadLocationOf(call.thread), since: call.createdAt };
      const message = withMetadata(buildStub(call, options), METADATA.stub, call.id);
      const earlier =
        place ?? (lookFirst ? await find(location, METADATA.stub, [call.id]) : undefined);
      if (earlier) return await update(earlier, message);
      if (detail !== 'none') return await post(location, message);
      const posted = await post(location, withMetadata(buildNeutralStub(), METADATA.stub, call.id));
      return await update(posted, message);
    },
    async closeCard(call, place, next) {
      await update(place, withMetadata(buildMovedCard(call, next), METADATA.superseded, call.id));
    },
    async drawDigest(digestMessage, { lookFirst, lines }) {
      const { channel, id, place, since } = digestMessage;
      const location = { channel, since };
      const earlier =
        place ?? (lookFirst ? await find(location, METADATA.digest, [id]) : undefined);
      const message = withMetadata(
        buildDigestMessage(digestMessage, { isNew: !earlier, lines }),
        METADATA.digest,
        id,
      );
      return earlier ? await update(earlier, message) : await post(location, message);
    },
  };
}

/** A thread or the top level of a channel; `since` (ms) bounds a search there. */
interface PostLocation {
  readonly channel: string;
  readonly root?: string;
  readonly since: number;
}

type Marked = CallCard & {
  readonly metadata: { event_type: string; event_payload: Record<string, string> };
};

/** The metadata key that holds the subject’s id, by kind. */
const ID_KEYS: Readonly<Record<Metadata, string>> = {
  [METADATA.card]: 'call_id',
  [METADATA.stub]: 'call_id',
  [METADATA.superseded]: 'call_id',
  [METADATA.digest]: 'id',
  [METADATA.outbox]: 'id',
  [METADATA.live]: 'turn',
};

/** Adds metadata to a message. `ids` are all calls of a shared card. */
function withMetadata(
  message: CallCard,
  type: Metadata,
  id: string,
  ids?: readonly string[],
): Marked {
  const all: Record<string, string> = ids ? { call_ids: ids.join(' ') } : {};
  const payload = { [ID_KEYS[type]]: id, ...all };
  return { ...message, metadata: { event_type: type, event_payload: payload } };
}

type Payload = Readonly<Record<string, unknown>>;

function belongsTo(payload: Payload, type: Metadata, id: string): boolean {
  if (payload[ID_KEYS[type]] === id) return true;
  const all = type === METADATA.card ? payload.call_ids : undefined;
  return typeof all === 'string' && all.split(' ').includes(id);
}
