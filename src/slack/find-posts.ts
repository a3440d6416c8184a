import type { WebClient } from '@slack/web-api';

/** A message of ours in a thread, known by its metadata. */
export interface FoundPost {
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const PAGE = 200;

/** Lists our own messages of a thread that carry metadata of one type, oldest first. */
export async function findPosts(
  client: WebClient,
  where: {
    readonly channel: string;
    readonly root: string;
    readonly botId: string;
    readonly type: string;
  },
): Promise<readonly FoundPost[]> {
  const found: FoundPost[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.conversations.replies({
      channel: where.channel,
      ts: where.root,
      include_all_metadata: true,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { ts = '', bot_id: botId, metadata } of page.messages ?? []) {
      const isIt = botId === where.botId && metadata?.event_type === where.type;
      if (isIt) found.push({ ts, payload: metadata.event_payload ?? {} });
    }
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
  return found;
}
