import type { Clock } from '../../../src/domain/ports/clock.ts';

/** A clock that runs with the system time, and can be advanced. */
export interface RunClock extends Clock {
  /** Advances it; everything due runs. */
  advance(ms: number): void;
}

/** Creates a clock that is `aheadMs` ahead of the system time. */
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
        // A timer may fire slightly before the clock shows its time.
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
