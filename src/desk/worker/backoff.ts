import type { Lease } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';

/** Delay after the first failure. */
export const INITIAL_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 300_000;

/** The delay after a failure: as Slack asks, otherwise doubling each time. */
export function backoffDelayMs({ tries }: Lease, error: unknown): number {
  if (error instanceof ChatError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** tries);
}
