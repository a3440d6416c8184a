import { z } from 'zod';
import type { McpSession } from '../connection/open-session.ts';

/** A page of tools. Each tool is checked separately. */
const PageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  // Some servers send null for the last page.
  nextCursor: z.string().nullish(),
});

const LIST_MS = 30_000;
const MAX_PAGES = 50;
/** Maximum number of tools used of a server. */
export const MAX_LISTED_TOOLS = 500;

/** Lists a server's tools, at most `MAX_LISTED_TOOLS`. */
export async function listTools({
  client,
}: McpSession): Promise<{ readonly tools: readonly unknown[]; readonly isWhole: boolean }> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  const seen = new Set<string>();
  for (let page = 0; page < MAX_PAGES && found.length < MAX_LISTED_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await client.request({ method: 'tools/list', params }, PageSchema, {
      timeout: LIST_MS,
    });
    found.push(...read.tools);
    // Some servers repeat the same page endlessly.
    const next = read.nextCursor || undefined;
    cursor = next !== undefined && !seen.has(next) ? next : undefined;
    if (cursor === undefined) break;
    seen.add(cursor);
  }
  const isWhole = cursor === undefined && found.length <= MAX_LISTED_TOOLS;
  return { tools: found.slice(0, MAX_LISTED_TOOLS), isWhole };
}
