import type { Clock } from '../../src/domain/ports/clock.ts';

/** A clock that the test advances. */
export interface ManualClock extends Clock {
  /** Advances by `ms`, running due callbacks in order; promises settle between callbacks and at the end. */
  advance(ms: number): Promise<void>;
  /** The number of scheduled callbacks that neither ran nor were cancelled. */
  readonly pendingCount: number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Creates a clock that stays at `startMs` until it is advanced; callbacks that are already due run without that. */
export function createManualClock(startMs = Date.UTC(2026, 0, 5, 9)): ManualClock {
  let now = startMs;
  const timers = new Set<Timer>();

  const fire = (timer: Timer): void => {
    if (timers.delete(timer)) timer.run();
  };
  const nextDue = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  };

  return {
    now: () => now,
    schedule(at, run) {
      const timer = { at, run };
      timers.add(timer);
      if (at <= now) setImmediate(fire, timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        now = Math.max(now, timer.at);
        fire(timer);
        await settle();
      }
      now = Math.max(now, until);
      await settle();
    },
    get pendingCount() {
      return timers.size;
    },
  };
}

/** Runs everything that waits only for promises; two rounds, as an immediate may start promises. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
