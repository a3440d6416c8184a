import type { Cancel, Clock } from '../ports/clock.ts';

/**
 * Waits for work, at most `ms`. After that, returns the result of `onTimeout`, or throws what it
 * throws, and the work's own result is ignored.
 */
export async function withTimeout<Result, Late = void>(
  clock: Clock,
  ms: number,
  work: Result | Promise<Result>,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let cancel: Cancel = () => {};
  const timeout = new Promise<void>((resolve) => {
    cancel = clock.schedule(clock.now() + ms, resolve);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    cancel();
  }
}

/**
 * Runs work with a signal that also aborts after `ms`. If the work fails after that, throws an error
 * with this message.
 */
export async function withTimeoutSignal<Result>(
  clock: Clock,
  timeout: { readonly ms: number; readonly signal: AbortSignal; readonly message: string },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { ms, signal, message } = timeout;
  const late = new AbortController();
  const cancel = clock.schedule(clock.now() + ms, () => late.abort());
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    throw late.signal.aborted ? new Error(message, { cause: error }) : error;
  } finally {
    cancel();
  }
}
