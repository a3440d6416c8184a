import { type Json, toText } from '../json-value.ts';

/** A page of a list, and the cursor of the next page; empty on the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string;
}

/** Returns the page for `limit` and `cursor`. A cursor is the id of the page's first item. */
export function toPage<T>(
  all: readonly T[],
  args: Json,
  idOf: (item: T) => string,
  defaultLimit = 100,
): Page<T> {
  const limit = Math.min(Number(args.limit) || defaultLimit, 1000);
  const cursor = Buffer.from(toText(args.cursor), 'base64url').toString();
  const start = Math.max(
    all.findIndex((item) => idOf(item) === cursor),
    0,
  );
  const next = all[start + limit];
  return {
    items: all.slice(start, start + limit),
    nextCursor: next === undefined ? '' : Buffer.from(idOf(next)).toString('base64url'),
  };
}
