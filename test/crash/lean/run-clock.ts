import type { Clock } from '../../../src/domain/ports/clock.ts';

/** A clock that runs as the machine's does, and can be put forward. */
export interface RunClock extends Clock {
  /** Puts it forward; what has fallen due runs. */
  advance(ms: number): void;
}

/** Makes a clock that is `aheadMs` ahead of the machine's. */
export function createRunClock(aheadMs: number): RunClock {
  let ahead = aheadMs;
  const timers = new Set<{ readonly atMs: number; arm(): void }>();
  const now = () => Date.now() + ahead;

  return {
    now,
    schedule(atMs, run) {
      let handle: NodeJS.Timeout | undefined;
      const timer = {
        atMs,
        arm() {
          clearTimeout(handle);
          handle = setTimeout(fire, Math.min(Math.max(atMs - now(), 0), 2 ** 31 - 1));
          handle.unref();
        },
      };
      const fire = () => {
        // A timer may fire a moment before the clock shows its time.
        if (now() < atMs) return timer.arm();
        timers.delete(timer);
        run();
      };
      timers.add(timer);
      timer.arm();
      return () => {
        timers.delete(timer);
        clearTimeout(handle);
      };
    },
    advance(ms) {
      ahead += ms;
      for (const timer of timers) timer.arm();
    },
  };
}
