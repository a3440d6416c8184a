import type { ConversationsRepliesResponse, WebClient } from '@slack/web-api';
import { ACTIONS, METADATA } from '../transport/ids.ts';
import { textAt } from '../transport/payload.ts';

/** One of our messages, found by its metadata. */
export interface FoundPost {
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const PAGE = 200;

interface SearchLocation {
  readonly channel: string;
  /** The thread to search; without it, the top level of the channel. */
  readonly root?: string | undefined;
  readonly botId: string;
  /** Skips older messages (ms) at the top level of a channel. */
  readonly since?: number;
}

/** Returns our messages with metadata of one type: oldest first in a thread, newest first in a channel. */
export async function findPosts(
  client: WebClient,
  where: SearchLocation & { readonly type: string },
): Promise<readonly FoundPost[]> {
  const found: FoundPost[] = [];
  for await (const { ts = '', metadata } of ownMessages(client, where)) {
    if (metadata?.event_type === where.type)
      found.push({ ts, payload: metadata.event_payload ?? {} });
  }
  return found;
}

/** Finds our newest live message in a thread. */
export async function findLiveMessage(
  client: WebClient,
  where: SearchLocation,
): Promise<string | undefined> {
  let found: string | undefined;
  for await (const message of ownMessages(client, where)) {
    if (isLive(message)) found = message.ts;
  }
  return found;
}

/** Streams carry no metadata until they become an answer, so they are recognized by state or stop button. */
function isLive(message: OwnMessage): boolean {
  const { blocks = [], metadata } = message;
  if (metadata?.event_type === METADATA.live) return true;
  // Cards of running calls have a stop button too.
  if (metadata?.event_type !== undefined) return false;
  if (textAt({ ...message }, 'streaming_state') !== undefined) return true;
  const elements = blocks.flatMap((block) => ('elements' in block ? (block.elements ?? []) : []));
  return elements.some((each) => 'action_id' in each && each.action_id === ACTIONS.stopTurn);
}

type OwnMessage = NonNullable<ConversationsRepliesResponse['messages']>[number];

/** Allowed difference between Slack’s clock and ours. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** https://docs.slack.dev/reference/methods/conversations.history */
async function* ownMessages(
  client: WebClient,
  { botId, channel, root, since = 0 }: SearchLocation,
) {
  const oldest = (Math.max(0, since - MAX_CLOCK_SKEW_MS) / 1_000).toFixed(6);
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
