import type { Cancel, Clock } from '../ports/clock.ts';

/** Calls a function every `ms` milliseconds until cancelled. */
export function repeat(clock: Clock, ms: number, run: () => void): Cancel {
  let cancel: Cancel = () => {};
  const arm = () => {
    cancel = clock.schedule(clock.now() + ms, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}
