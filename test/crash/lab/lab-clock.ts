import type { Cancel, Clock } from '../../../src/domain/ports/clock.ts';

/** A manual clock that lets the whole simulation settle at each moment. */
export interface LabClock extends Clock {
  advance(ms: number, settle: () => Promise<void>): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Creates a clock that starts at `startMs`. */
export function createLabClock(startMs: number): LabClock {
  let now = startMs;
  const timers = new Set<Timer>();

  function fire(timer: Timer): void {
    if (timers.delete(timer)) timer.run();
  }

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }

  return {
    now: () => now,
    schedule(at, run): Cancel {
      const timer = { at, run };
      timers.add(timer);
      if (at <= now) setImmediate(fire, timer);
      return () => timers.delete(timer);
    },
    async advance(ms, settle) {
      const until = now + ms;
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        now = Math.max(now, timer.at);
        // Everything due at one moment runs before anything can settle.
        for (const each of [...timers].filter(({ at }) => at <= now)) fire(each);
        await settle();
      }
      now = Math.max(now, until);
      await settle();
    },
  };
}
