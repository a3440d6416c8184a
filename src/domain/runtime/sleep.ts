import type { Clock } from '../ports/clock.ts';

/** Waits on the injected clock. Rejects with the signal's reason if aborted. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const over = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.schedule(clock.now() + ms, () => {
      signal.removeEventListener('abort', over);
      resolve();
    });
    signal.addEventListener('abort', over, { once: true });
  });
}
