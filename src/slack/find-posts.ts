import type { WebClient } from '@slack/web-api';
import { ACTIONS } from './ids.ts';

/** A message of ours in a thread, known by its metadata. */
export interface FoundPost {
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const PAGE = 200;

interface Where {
  readonly channel: string;
  readonly root: string;
  readonly botId: string;
}

/** Lists our own messages of a thread that carry metadata of one type, oldest first; without a root those at the top of the channel since `oldest` (ms), newest first. */
export async function findPosts(
  client: WebClient,
  where: Omit<Where, 'root'> & {
    readonly root?: string;
    readonly oldest?: number;
    readonly type: string;
  },
): Promise<readonly FoundPost[]> {
  const { root } = where;
  const found: FoundPost[] = [];
  const messages =
    root === undefined ? topMessages(client, where) : ownMessages(client, { ...where, root });
  for await (const { ts = '', metadata } of messages) {
    if (metadata?.event_type === where.type)
      found.push({ ts, payload: metadata.event_payload ?? {} });
  }
  return found;
}

/** Finds our growing message of a thread: the only one that can be stopped. */
export async function findGrowing(client: WebClient, where: Where): Promise<string | undefined> {
  for await (const { ts, blocks = [] } of ownMessages(client, where)) {
    const elements = blocks.flatMap((block) => ('elements' in block ? (block.elements ?? []) : []));
    if (elements.some((each) => 'action_id' in each && each.action_id === ACTIONS.stopTurn))
      return ts;
  }
  return undefined;
}

async function* ownMessages(client: WebClient, { channel, root, botId }: Where) {
  let cursor: string | undefined;
  do {
    const page = await client.conversations.replies({
      channel,
      ts: root,
      include_all_metadata: true,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const message of page.messages ?? []) if (message.bot_id === botId) yield message;
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
}

/** https://docs.slack.dev/reference/methods/conversations.history */
async function* topMessages(
  client: WebClient,
  { botId, channel, oldest = 0 }: Omit<Where, 'root'> & { readonly oldest?: number },
) {
  let cursor: string | undefined;
  do {
    const page = await client.conversations.history({
      channel,
      oldest: (oldest / 1_000).toFixed(6),
      include_all_metadata: true,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const message of page.messages ?? []) if (message.bot_id === botId) yield message;
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
}
