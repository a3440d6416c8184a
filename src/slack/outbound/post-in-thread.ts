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
import { findPosts } from './find-posts.ts';
import { createLiveTakeover } from './live-takeover.ts';
import { threadLocationOf } from './thread-location.ts';

interface PostInThreadDeps {
  readonly client: WebClient;
  readonly botId: string;
  readonly sessions: Pick<AgentSessions, 'atStreamEnd'>;
}

/** The parts of an outbox message that are already posted: timestamps by key. */
type PostedParts = ReadonlyMap<string, string>;

/** Errors of chat.update after which a new message is posted. */
const NOT_UPDATABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);

/** Creates the posting in threads, and the removal of live messages. */
export function createPostInThread(deps: PostInThreadDeps) {
  const { client } = deps;
  const liveTakeover = createLiveTakeover(deps);

  async function postInThread(
    outgoing: OutboxMessage,
    { lookFirst, live }: { readonly lookFirst: boolean; readonly live?: CardPlace | undefined },
  ): Promise<void> {
    if (outgoing.replaces) return await replace(outgoing, outgoing.replaces);
    const posted = lookFirst ? await findPostedParts(deps, outgoing) : new Map<string, string>();
    const first = posted.get('0') ?? posted.get('0.0');
    let liveTs = live && (await liveTakeover.takeOver(outgoing.thread, live, first));
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
    const ts = (await findPostedParts(deps, { ...outgoing, ...earlier })).get('0');
    const [message] = buildOutboxParts(outgoing);
    if (ts === undefined || message === undefined) return;
    const metadata = { event_type: METADATA.outbox, event_payload: { id: outgoing.id, part: '0' } };
    await overwrite(client, outgoing.thread, ts, { ...message, metadata });
  }

  async function writeOne(
    thread: ThreadKey,
    content: MarkedMessage,
    liveTs: string | undefined,
  ): Promise<void> {
    if (liveTs !== undefined && (await overwrite(client, thread, liveTs, content))) return;
    const quiet = { unfurl_links: false, unfurl_media: false };
    await withSlackErrors('answer in the thread', () =>
      client.chat.postMessage({ ...postLocation(thread), ...content, ...quiet }),
    );
    if (liveTs !== undefined) await liveTakeover.remove(thread, liveTs);
  }

  return { post: postInThread, clear: liveTakeover.clear };
}

/** Replaces the content of the live message; returns false if a new message is needed. */
async function overwrite(
  client: WebClient,
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

async function findPostedParts(
  { client, botId }: Pick<PostInThreadDeps, 'client' | 'botId'>,
  { createdAt, id, thread }: OutboxMessage,
): Promise<PostedParts> {
  const { channel, ...at } = postLocation(thread);
  const where = { channel, root: at.thread_ts, botId, type: METADATA.outbox, since: createdAt };
  const posts = await withSlackErrors('look for the answer', () => findPosts(client, where));
  const mine = posts.filter(({ payload }) => payload.id === id);
  return new Map(mine.map(({ payload, ts }) => [String(payload.part), ts]));
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
