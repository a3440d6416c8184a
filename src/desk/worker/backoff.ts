import type { Lease } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';

/** How long work that failed once is put off. */
export const INITIAL_BACKOFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** Returns how long work that failed is put off: as Slack asks, else twice as long each time. */
export function backoffDelayMs({ tries }: Lease, error: unknown): number {
  if (error instanceof ChatError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.min(LONGEST_BACK_OFF_MS, INITIAL_BACKOFF_MS * 2 ** tries);
}
