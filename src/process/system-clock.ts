import type { Clock } from '../domain/ports/clock.ts';

/**
 * Node fires longer timers at once.
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Creates the system clock. Its timers do not keep the process alive. */
export function createSystemClock(): Clock {
  return {
    now: Date.now,
    schedule(atMs, run) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const leftMs = atMs - Date.now();
        timer = setTimeout(leftMs > MAX_DELAY_MS ? arm : fire, clamp(leftMs));
        timer.unref();
      };
      // A timer may fire slightly early. Callers that compare the time with `atMs` need it reached.
      const fire = () => (Date.now() < atMs ? arm() : run());
      arm();
      return () => clearTimeout(timer);
    },
  };
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_DELAY_MS);
}
