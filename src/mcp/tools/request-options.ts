import type { RequestOptions } from '../../client/countersign-client.ts';
import type { ToolWait } from './tool-work.ts';

/** Clients give up a call that says nothing for a minute. */
const UNFOLLOWED_WAIT_SECONDS = 45;

/** How a tool that asks people waits: as its input says, else until they decide where the client follows its progress. */
export function toRequestOptions(
  input: {
    readonly idempotency_key?: string | undefined;
    readonly wait_seconds?: number | undefined;
  },
  { isFollowed, ...waiting }: ToolWait,
): RequestOptions & { readonly idempotencyKey: string } {
  const { idempotency_key: idempotencyKey = crypto.randomUUID() } = input;
  const wait = input.wait_seconds ?? (isFollowed ? undefined : UNFOLLOWED_WAIT_SECONDS);
  return { ...waiting, idempotencyKey, ...(wait !== undefined && { wait }) };
}
