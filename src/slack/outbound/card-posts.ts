import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../domain/calls/call.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { CallCard } from '../cards/call-card.ts';
import { METADATA } from '../transport/ids.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import { findPosts } from './find-posts.ts';

type Metadata = (typeof METADATA)[keyof typeof METADATA];

const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** Creates the requests for messages that are found by their metadata. */
export function createCardPosts({
  client,
  botId,
}: {
  readonly client: WebClient;
  readonly botId: string;
}) {
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

  return { find, post, update };
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
export function withMetadata(
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
