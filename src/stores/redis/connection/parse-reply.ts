import type { Reply } from './redis-connection.ts';

/** Reads a list of texts; throws otherwise. */
export function parseTextList(reply: Reply): readonly string[] {
  return parseReplyList(reply).map(parseText);
}

/** Reads a list; throws otherwise. */
export function parseReplyList(reply: Reply): readonly Reply[] {
  if (Array.isArray(reply)) return reply;
  throw new Error(`Redis answered ${JSON.stringify(reply)} where a list was expected.`);
}

/** Reads a text; throws otherwise. */
export function parseText(reply: Reply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new Error(`Redis answered ${JSON.stringify(reply)} where a text was expected.`);
}

/** Reads a text that may be missing. */
export function parseOptionalText(reply: Reply | undefined): string | undefined {
  return reply === null || reply === undefined ? undefined : parseText(reply);
}
