import type { Reply } from './redis-connection.ts';

/** Reads a list of texts; throws for anything else. */
export function readTexts(reply: Reply): readonly string[] {
  return readList(reply).map(readText);
}

/** Reads a list; throws for anything else. */
export function readList(reply: Reply): readonly Reply[] {
  if (Array.isArray(reply)) return reply;
  throw new Error(`Redis answered ${JSON.stringify(reply)} where a list was due.`);
}

/** Reads a text; throws for anything else. */
export function readText(reply: Reply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new Error(`Redis answered ${JSON.stringify(reply)} where a text was due.`);
}

/** Reads a text that may be missing. */
export function readMaybe(reply: Reply | undefined): string | undefined {
  return reply === null || reply === undefined ? undefined : readText(reply);
}
