/** Posts and updates cards, stubs and digests. A retry finds an earlier attempt’s message by its metadata. */
import type { WebClient } from '@slack/web-api';
import type { Call } from '../../domain/calls/call.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import type { Chat } from '../../domain/ports/chat.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { buildCallCard, type CallCard, type CardContext } from '../cards/call-card.ts';
import { buildDigestMessage } from '../cards/digest-message.ts';
import { buildNeutralCard } from '../cards/neutral-card.ts';
import { hidesFirstBlocks } from '../cards/notification-text.ts';
import { buildSharedCard } from '../cards/shared-card.ts';
import { buildMovedCard, buildNeutralStub, buildStub } from '../cards/stub.ts';
import { METADATA } from '../transport/ids.ts';
import { createCardPosts, withMetadata } from './card-posts.ts';
import { threadLocationOf } from './thread-location.ts';

interface CardDeps {
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  readonly detail: NotificationDetail;
}

/** Creates the posting of cards, stubs and digests. */
export function createPostCards(
  deps: CardDeps & { readonly client: WebClient; readonly botId: string },
): Pick<Chat, 'drawCard' | 'drawStub' | 'closeCard' | 'drawDigest'> {
  const { detail, toolbox } = deps;
  const posts = createCardPosts(deps);

  return {
    async drawCard(
      call,
      place,
      { calls, lookFirst, others, availability, paused, progress, shared },
    ) {
      const location = { ...cardLocationOf(call), since: call.createdAt };
      const base = cardContext(call, deps, { availability, paused, progress });
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
        place ?? (lookFirst ? await posts.find(location, METADATA.card, ids, others) : undefined);
      if (earlier) return await posts.update(earlier, draw());
      const withCalls = calls ? { calls } : {};
      if (!hidesFirstBlocks(call, detail)) return await posts.post(location, draw(withCalls));
      const posted = await posts.post(
        location,
        mark(buildNeutralCard(call, { ...base, ...withCalls })),
      );
      // The neutral card notifies; an update does not.
      return await posts.update(posted, draw());
    },
    async drawStub(call, place, { lookFirst, ...options }) {
      const location = { ...threadLocationOf(call.thread), since: call.createdAt };
      const message = withMetadata(buildStub(call, options), METADATA.stub, call.id);
      const earlier =
        place ?? (lookFirst ? await posts.find(location, METADATA.stub, [call.id]) : undefined);
      if (earlier) return await posts.update(earlier, message);
      if (detail !== 'none') return await posts.post(location, message);
      const posted = await posts.post(
        location,
        withMetadata(buildNeutralStub(), METADATA.stub, call.id),
      );
      return await posts.update(posted, message);
    },
    async closeCard(call, place, next) {
      await posts.update(
        place,
        withMetadata(buildMovedCard(call, next), METADATA.superseded, call.id),
      );
    },
    async drawDigest(digestMessage, { lookFirst, lines }) {
      const { channel, id, place, since } = digestMessage;
      const location = { channel, since };
      const earlier =
        place ?? (lookFirst ? await posts.find(location, METADATA.digest, [id]) : undefined);
      const message = withMetadata(
        buildDigestMessage(digestMessage, { isNew: !earlier, lines }),
        METADATA.digest,
        id,
      );
      return earlier ? await posts.update(earlier, message) : await posts.post(location, message);
    },
  };
}

function cardContext(
  call: Call,
  { detail, mark, toolbox }: CardDeps,
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
