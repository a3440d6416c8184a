import type { Call } from '../../../domain/calls/call.ts';

/** A page of a list, and the call after which the next one begins. */
export interface CallPage {
  readonly calls: readonly Call[];
  readonly next: string | undefined;
}

/** Takes at most `limit` matching calls, reading at most `most`. */
export async function takeCallPage(
  source: AsyncIterable<Call>,
  fits: (call: Call) => Promise<boolean>,
  { after, limit, most }: { after?: string | undefined; limit: number; most: number },
): Promise<CallPage> {
  const calls: Call[] = [];
  let last = after;
  let readCount = 0;
  for await (const call of source) {
    const isWanted = await fits(call);
    if (isWanted && calls.length === limit) return { calls, next: last };
    if (isWanted) calls.push(call);
    last = call.id;
    readCount += 1;
    if (readCount === most) return { calls, next: last };
  }
  return { calls, next: undefined };
}

/** Reads a list in batches, on demand. */
export async function* inBatches(
  after: string | undefined,
  size: number,
  read: (after: string | undefined) => Promise<readonly Call[]>,
): AsyncIterable<Call> {
  for (let last = after; ; ) {
    const batch = await read(last);
    yield* batch;
    last = batch.at(-1)?.id;
    if (batch.length < size) return;
  }
}
