import type { ConversationsRepliesResponse, WebClient } from '@slack/web-api';
import { ACTIONS, METADATA } from '../transport/ids.ts';
import { textAt } from '../transport/payload.ts';

/** A message of ours, known by its metadata. */
export interface FoundPost {
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const PAGE = 200;

interface Where {
  readonly channel: string;
  /** Of a thread; without it the top of the channel is meant. */
  readonly root?: string | undefined;
  readonly botId: string;
  /** Nothing older (ms) is looked for at the top of a channel. */
  readonly since?: number;
}

/** Lists our own messages that carry metadata of one type: of a thread, oldest first, or at the top of a channel, newest first. */
export async function findPosts(
  client: WebClient,
  where: Where & { readonly type: string },
): Promise<readonly FoundPost[]> {
  const found: FoundPost[] = [];
  for await (const { ts = '', metadata } of ownMessages(client, where)) {
    if (metadata?.event_type === where.type)
      found.push({ ts, payload: metadata.event_payload ?? {} });
  }
  return found;
}

/** Finds our newest growing message of a thread. */
export async function findLiveMessage(
  client: WebClient,
  where: Where,
): Promise<string | undefined> {
  let found: string | undefined;
  for await (const message of ownMessages(client, where)) {
    if (isGrowing(message)) found = message.ts;
  }
  return found;
}

/** All that we post says by its metadata what it is. Only a stream can't until it has become an answer; it may have our stop button. */
function isGrowing(message: OwnMessage): boolean {
  const { blocks = [], metadata } = message;
  if (metadata?.event_type === METADATA.growing) return true;
  // A card has a stop button too, while its call runs.
  if (metadata?.event_type !== undefined) return false;
  if (textAt({ ...message }, 'streaming_state') !== undefined) return true;
  const elements = blocks.flatMap((block) => ('elements' in block ? (block.elements ?? []) : []));
  return elements.some((each) => 'action_id' in each && each.action_id === ACTIONS.stopTurn);
}

type OwnMessage = NonNullable<ConversationsRepliesResponse['messages']>[number];

/** Slack's clock and ours may differ by so much. */
const CLOCKS_DIFFER_MS = 60_000;

/** https://docs.slack.dev/reference/methods/conversations.history */
async function* ownMessages(client: WebClient, { botId, channel, root, since = 0 }: Where) {
  const oldest = (Math.max(0, since - CLOCKS_DIFFER_MS) / 1_000).toFixed(6);
  let cursor: string | undefined;
  do {
    const page = { channel, include_all_metadata: true, limit: PAGE, ...(cursor && { cursor }) };
    const found =
      root === undefined
        ? await client.conversations.history({ ...page, oldest })
        : await client.conversations.replies({ ...page, ts: root });
    for (const message of found.messages ?? []) if (message.bot_id === botId) yield message;
    cursor = found.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
}
