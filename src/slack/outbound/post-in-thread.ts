/**
 * Says a text in its thread, part by part. Each part carries the say's id and its own key, so that a
 * repeat goes on where an earlier try ended; a part that Slack finds too long is cut once more, into
 * pieces with keys of their own. What grew in the thread becomes the first part.
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

/** What was said of a say before: where each part stands, by its key. */
type Said = ReadonlyMap<string, string>;

/** Errors of chat.stopStream that leave nothing to be stopped. */
const STOPPED: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);
/** Errors of chat.update after which a message is posted anew. */
const NOT_TAKEN: ReadonlySet<ChatError['code']> = new Set(['gone', 'rejected']);

/** Makes what says things in threads, and takes growing messages away. */
export function createPostInThread({ client, botId, sessions }: PostInThreadDeps) {
  async function postInThread(
    say: OutboxMessage,
    { lookFirst, live }: { readonly lookFirst: boolean; readonly live?: CardPlace | undefined },
  ): Promise<void> {
    if (say.replaces) return await replace(say, say.replaces);
    const said = lookFirst ? await partsSaid(say) : new Map<string, string>();
    let grown = live && (await takeOver(say.thread, live, said));
    const write = async (message: ComposedMessage, key: string): Promise<void> => {
      const metadata = { event_type: METADATA.say, event_payload: { id: say.id, part: key } };
      await withPlainer(message, (shown) => writeOne(say.thread, { ...shown, metadata }, grown));
      grown = undefined;
    };
    for (const [at, message] of buildOutboxParts(say).entries()) {
      await postPart({ message, key: String(at), said, write });
    }
  }

  async function replace(
    say: OutboxMessage,
    earlier: NonNullable<OutboxMessage['replaces']>,
  ): Promise<void> {
    const ts = (await partsSaid({ ...say, ...earlier })).get('0');
    const [message] = buildOutboxParts(say);
    if (ts === undefined || message === undefined) return;
    const metadata = { event_type: METADATA.say, event_payload: { id: say.id, part: '0' } };
    await become(say.thread, ts, { ...message, metadata });
  }

  /** Makes the growing message free to become the first part; undefined when that stands already. */
  async function takeOver(
    thread: ThreadKey,
    live: CardPlace,
    said: Said,
  ): Promise<string | undefined> {
    const grown = await findGrown(thread, live);
    const first = said.get('0') ?? said.get('0.0');
    if (grown === undefined || grown === first) return undefined;
    await stop(thread, grown);
    if (first === undefined) return grown;
    await remove(thread, grown);
    return undefined;
  }

  async function writeOne(
    thread: ThreadKey,
    content: MarkedMessage,
    grown: string | undefined,
  ): Promise<void> {
    if (grown !== undefined && (await become(thread, grown, content))) return;
    const quiet = { unfurl_links: false, unfurl_media: false };
    await withSlackErrors('answer in the thread', () =>
      client.chat.postMessage({ ...rootIn(thread), ...content, ...quiet }),
    );
    if (grown !== undefined) await remove(thread, grown);
  }

  /** Writes the message over the grown one; false when it has to be posted anew. */
  async function become(thread: ThreadKey, ts: string, content: MarkedMessage): Promise<boolean> {
    const { channel } = placeOf(thread);
    try {
      await withSlackErrors('answer in the thread', () =>
        client.chat.update({ channel, ts, ...content }),
      );
      return true;
    } catch (error) {
      const isRefused = error instanceof ChatError && NOT_TAKEN.has(error.code);
      if (!isRefused || isTooLong(error)) throw error;
      return false;
    }
  }

  async function partsSaid({ createdAt, id, thread }: OutboxMessage): Promise<Said> {
    const { channel, ...at } = rootIn(thread);
    const where = { channel, root: at.thread_ts, botId, type: METADATA.say, since: createdAt };
    const posts = await withSlackErrors('look for the answer', () => findPosts(client, where));
    const mine = posts.filter(({ payload }) => payload.id === id);
    return new Map(mine.map(({ payload, ts }) => [String(payload.part), ts]));
  }

  async function findGrown(thread: ThreadKey, live: CardPlace): Promise<string | undefined> {
    if (live.ts !== '') return live.ts;
    const { channel, root } = placeOf(thread);
    return await withSlackErrors('look for the growing message', () =>
      findLiveMessage(client, { channel, root, botId }),
    );
  }

  /** A message can't be changed while it streams; one that never did is answered with a refusal. */
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
      await withSlackErrors('take the growing message away', () =>
        client.chat.delete({ channel, ts }),
      );
    } catch (error) {
      if (!(error instanceof ChatError) || error.code !== 'gone') throw error;
    }
  }

  return {
    say: postInThread,
    async clear(thread: ThreadKey, live: CardPlace): Promise<void> {
      const grown = await findGrown(thread, live);
      if (grown === undefined) return;
      await stop(thread, grown);
      await remove(thread, grown);
    },
  };
}

/** Where a thread's messages are posted: what is for a channel itself is at its top. */
function rootIn(thread: ThreadKey): { readonly channel: string; readonly thread_ts?: string } {
  const { channel, root } = threadLocationOf(thread);
  return root === undefined ? { channel } : { channel, thread_ts: root };
}

type MarkedMessage = ComposedMessage & {
  readonly metadata: { event_type: string; event_payload: Record<string, string> };
};

async function postPart(part: {
  readonly message: ComposedMessage;
  readonly key: string;
  readonly said: Said;
  readonly write: (message: ComposedMessage, key: string) => Promise<void>;
}): Promise<void> {
  const { message, key, said, write } = part;
  if (said.has(key)) return;
  const pieces = cutFurther(message);
  if (!said.has(`${key}.0`)) {
    try {
      return await write(message, key);
    } catch (error) {
      if (!isTooLong(error) || pieces.length < 2) throw error;
    }
  }
  for (const [at, piece] of pieces.entries()) {
    const pieceKey = `${key}.${at}`;
    if (!said.has(pieceKey)) await write(piece, pieceKey);
  }
}

/** Cuts a message's Markdown into small pieces; what stands around it stays around it. */
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

/** Shows a message, and where Slack refuses its blocks, the message without the newest of them. */
async function withPlainer(
  message: ComposedMessage,
  show: (message: ComposedMessage) => Promise<void>,
): Promise<void> {
  try {
    await show(message);
  } catch (error) {
    const plainer = withoutRating(message);
    const isRefused =
      error instanceof ChatError && slackErrorName(error.cause) === 'invalid_blocks';
    if (plainer === undefined || !isRefused) throw error;
    await show(plainer);
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof ChatError && TOO_LONG.has(slackErrorName(error.cause));
}
