/**
 * Posts an outbox message in its thread, part by part. Each part carries the message's id and its own
 * key, so a retry continues where an earlier attempt ended. A part that is too long for Slack is cut
 * into pieces with their own keys. The live message becomes the first part.
 */
import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../domain/calls/call.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { BUDGET } from '../text/limits.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { METADATA } from '../transport/ids.ts';
import { slackErrorName, TOO_LONG } from '../transport/slack-errors.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { buildOutboxParts, type ComposedMessage, withoutRating } from './build-messages.ts';
import { findLiveMessage, findPosts } from './find-posts.ts';
import { threadLocationOf } from './thread-location.ts';

interface PostInThreadDeps {
  readonly client: WebClient;
  readonly botId: string;
  readonly sessions: Pick<AgentSessions, 'atStreamEnd'>;
}

/** The parts of an outbox message that are already posted: timestamps by key. */
type PostedParts = ReadonlyMap<string, string>;

/** Errors of chat.stopStream if there is no running stream. */
const STOPPED: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);
/** Errors of chat.update after which a new message is posted. */
const NOT_UPDATABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);

/** Creates the posting in threads, and the removal of live messages. */
export function createPostInThread({ client, botId, sessions }: PostInThreadDeps) {
  async function postInThread(
    outgoing: OutboxMessage,
    { lookFirst, live }: { readonly lookFirst: boolean; readonly live?: CardPlace | undefined },
  ): Promise<void> {
    if (outgoing.replaces) return await replace(outgoing, outgoing.replaces);
    const posted = lookFirst ? await findPostedParts(outgoing) : new Map<string, string>();
    let liveTs = live && (await takeOver(outgoing.thread, live, posted));
    const write = async (message: ComposedMessage, key: string): Promise<void> => {
      const metadata = {
        event_type: METADATA.outbox,
        event_payload: { id: outgoing.id, part: key },
      };
      await withFallback(message, (shown) =>
        writeOne(outgoing.thread, { ...shown, metadata }, liveTs),
      );
      liveTs = undefined;
    };
    for (const [at, message] of buildOutboxParts(outgoing).entries()) {
      await postPart({ message, key: String(at), posted, write });
    }
  }

  async function replace(
    outgoing: OutboxMessage,
    earlier: NonNullable<OutboxMessage['replaces']>,
  ): Promise<void> {
    const ts = (await findPostedParts({ ...outgoing, ...earlier })).get('0');
    const [message] = buildOutboxParts(outgoing);
    if (ts === undefined || message === undefined) return;
    const metadata = { event_type: METADATA.outbox, event_payload: { id: outgoing.id, part: '0' } };
    await overwrite(outgoing.thread, ts, { ...message, metadata });
  }

  /** Stops the live message so that it can become the first part; undefined if that part is already posted. */
  async function takeOver(
    thread: ThreadKey,
    live: CardPlace,
    posted: PostedParts,
  ): Promise<string | undefined> {
    const liveTs = await findLive(thread, live);
    const first = posted.get('0') ?? posted.get('0.0');
    if (liveTs === undefined || liveTs === first) return undefined;
    await stop(thread, liveTs);
    if (first === undefined) return liveTs;
    await remove(thread, liveTs);
    return undefined;
  }

  async function writeOne(
    thread: ThreadKey,
    content: MarkedMessage,
    liveTs: string | undefined,
  ): Promise<void> {
    if (liveTs !== undefined && (await overwrite(thread, liveTs, content))) return;
    const quiet = { unfurl_links: false, unfurl_media: false };
    await withSlackErrors('answer in the thread', () =>
      client.chat.postMessage({ ...postLocation(thread), ...content, ...quiet }),
    );
    if (liveTs !== undefined) await remove(thread, liveTs);
  }

  /** Replaces the content of the live message; returns false if a new message is needed. */
  async function overwrite(
    thread: ThreadKey,
    ts: string,
    content: MarkedMessage,
  ): Promise<boolean> {
    const { channel } = placeOf(thread);
    try {
      await withSlackErrors('answer in the thread', () =>
        client.chat.update({ channel, ts, ...content }),
      );
      return true;
    } catch (error) {
      const isRefused = error instanceof ChatError && NOT_UPDATABLE.has(error.code);
      if (!isRefused || isTooLong(error)) throw error;
      return false;
    }
  }

  async function findPostedParts({ createdAt, id, thread }: OutboxMessage): Promise<PostedParts> {
    const { channel, ...at } = postLocation(thread);
    const where = { channel, root: at.thread_ts, botId, type: METADATA.outbox, since: createdAt };
    const posts = await withSlackErrors('look for the answer', () => findPosts(client, where));
    const mine = posts.filter(({ payload }) => payload.id === id);
    return new Map(mine.map(({ payload, ts }) => [String(payload.part), ts]));
  }

  async function findLive(thread: ThreadKey, live: CardPlace): Promise<string | undefined> {
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
    post: postInThread,
    async clear(thread: ThreadKey, live: CardPlace): Promise<void> {
      const liveTs = await findLive(thread, live);
      if (liveTs === undefined) return;
      await stop(thread, liveTs);
      await remove(thread, liveTs);
    },
  };
}

/** Returns where a thread’s messages are posted; for a channel itself, its top level. */
function postLocation(thread: ThreadKey): {
  readonly channel: string;
  readonly thread_ts?: string;
} {
  const { channel, root } = threadLocationOf(thread);
  return root === undefined ? { channel } : { channel, thread_ts: root };
}

type MarkedMessage = ComposedMessage & {
  readonly metadata: { event_type: string; event_payload: Record<string, string> };
};

async function postPart(part: {
  readonly message: ComposedMessage;
  readonly key: string;
  readonly posted: PostedParts;
  readonly write: (message: ComposedMessage, key: string) => Promise<void>;
}): Promise<void> {
  const { message, key, posted, write } = part;
  if (posted.has(key)) return;
  const pieces = cutFurther(message);
  if (!posted.has(`${key}.0`)) {
    try {
      return await write(message, key);
    } catch (error) {
      if (!isTooLong(error) || pieces.length < 2) throw error;
    }
  }
  for (const [at, piece] of pieces.entries()) {
    const pieceKey = `${key}.${at}`;
    if (!posted.has(pieceKey)) await write(piece, pieceKey);
  }
}

/** Cuts a message’s Markdown into small pieces. Other blocks stay before the first or after the last one. */
function cutFurther({ text, blocks }: ComposedMessage): readonly ComposedMessage[] {
  const at = blocks.findIndex(({ type }) => type === 'markdown');
  const block = blocks[at];
  if (block?.type !== 'markdown') return [];
  const pieces = splitMarkdown(block.text, BUDGET.answerPiece);
  return pieces.map((piece, i) => ({
    text,
    blocks: [
      ...(i === 0 ? blocks.slice(0, at) : []),
      { ...block, text: piece },
      ...(i === pieces.length - 1 ? blocks.slice(at + 1) : []),
    ],
  }));
}

/** Posts a message. If Slack refuses its blocks, posts it again without the rating buttons. */
async function withFallback(
  message: ComposedMessage,
  show: (message: ComposedMessage) => Promise<void>,
): Promise<void> {
  try {
    await show(message);
  } catch (error) {
    const fallback = withoutRating(message);
    const isRefused =
      error instanceof ChatError && slackErrorName(error.cause) === 'invalid_blocks';
    if (fallback === undefined || !isRefused) throw error;
    await show(fallback);
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof ChatError && TOO_LONG.has(slackErrorName(error.cause));
}
