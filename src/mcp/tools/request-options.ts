import type { RequestOptions } from '../../client/countersign-client.ts';
import type { ToolWait } from './tool-work.ts';

/** Clients without progress drop a call that is silent for a minute. */
const UNFOLLOWED_WAIT_SECONDS = 45;

/** How a tool waits: `wait_seconds`, else until the decision if the client follows progress. */
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
