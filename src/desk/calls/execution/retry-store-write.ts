import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { sleep } from '../../../domain/runtime/sleep.ts';
import type { HeldWork } from '../../deps.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** How often a claim is written before the task is retried later: nothing has run yet. */
const MAX_TRIES = 5;

/** How long a write is retried. */
export interface RetryLimit {
  /** Throws or rejects once retrying makes no sense. */
  mayGoOn(): void | Promise<void>;
  /** Default: unlimited. */
  readonly mostTries?: number;
  /** Ends the wait between two tries. */
  readonly signal: AbortSignal;
}

/**
 * Retries a store operation until it succeeds. Rejects with what `mayGoOn` throws, the signal's
 * reason, or the last error after `mostTries`. For results that exist only in this process's
 * memory.
 */
export async function retryStoreWrite<T>(
  operation: (isAgain: boolean) => Promise<T>,
  { mayGoOn, mostTries = Number.POSITIVE_INFINITY, signal }: RetryLimit,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await operation(tries > 0);
    } catch (error) {
      await mayGoOn();
      if (tries + 1 >= mostTries) throw error;
      log.warn({ err: error, tries: tries + 1 }, 'Could not write a run; retrying.');
      await sleep(clock, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries), signal);
      await mayGoOn();
    }
  }
}

/** Before the run: a worker that has lost its hold must not start anything. */
export function retryWhileHeld({ assertHeld, signal }: HeldWork): RetryLimit {
  return { mayGoOn: assertHeld, mostTries: MAX_TRIES, signal };
}
