import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { sleep } from '../../../domain/runtime/sleep.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** How long somebody goes on asking. */
export interface RetryLimit {
  /** Throws or rejects once it makes no sense any more. */
  mayGoOn(): void | Promise<void>;
  /** (Default: without end.) */
  readonly mostTries?: number;
  /** Ends the waiting between two questions. */
  readonly signal: AbortSignal;
}

/** Asks a store again and again until it answers; rejects with what `mayGoOn` throws, the signal's reason, or the last error after the most tries. For what must not be lost with the process's memory of it. */
export async function retryStoreWrite<T>(
  ask: (isAgain: boolean) => Promise<T>,
  { mayGoOn, mostTries = Number.POSITIVE_INFINITY, signal }: RetryLimit,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(tries > 0);
    } catch (error) {
      await mayGoOn();
      if (tries + 1 >= mostTries) throw error;
      log.warn({ err: error, tries: tries + 1 }, 'A run could not be written; it is tried again.');
      await sleep(clock, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries), signal);
      await mayGoOn();
    }
  }
}
