import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';

/** Nothing was heard of a server in the time that it had. */
class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
}

/** Waits for an answer of the network; rejects after `ms`, in the machine's own time: a server is not alive because the app's clock stands still. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([answer, silence(ms, over.signal)]);
  } finally {
    over.abort();
  }
}

async function silence(ms: number, signal: AbortSignal): Promise<never> {
  await pause(ms, undefined, { signal });
  // A process that stood still finds its timers due before what has long arrived is read.
  await nextRound();
  throw new SilentServerError(`No answer came within ${ms} ms.`);
}
