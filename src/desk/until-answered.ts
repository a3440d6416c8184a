import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Asks a store again and again until it answers; rejects with its error once `mayGoOn` throws. For what must not be lost with the process's memory of it. */
export async function untilAnswered<T>(
  ask: (isAgain: boolean) => Promise<T>,
  mayGoOn: () => void,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(tries > 0);
    } catch (error) {
      mayGoOn();
      log.warn({ err: error, tries: tries + 1 }, 'A run could not be written; it is tried again.');
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      await new Promise<void>((resolve) => {
        clock.schedule(clock.now() + waitMs, resolve);
      });
      mayGoOn();
    }
  }
}
