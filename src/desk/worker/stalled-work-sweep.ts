import type { DeadLetter } from '../../domain/ports/agenda.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import { findStalledWork } from './find-stalled-work.ts';
import type { Quarantine } from './quarantine.ts';

/** The safety net under the agenda: looks at the start, and from time to time, for work that stands still. */
export interface StalledWorkSweep {
  start(): void;
  /** Resolves when the look that is under way has ended. */
  stop(): Promise<void>;
}

const EVERY_MS = 10 * 60_000;
/** Between two pages: people come first. */
const BREATH_MS = 50;
const LOGGED = 20;

/** Creates the safety net of one worker. */
export function createStalledWorkSweep({
  store,
  clock,
  log,
  quarantine,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly quarantine: Pick<Quarantine, 'release' | 'note'>;
}): StalledWorkSweep {
  let isStopped = false;
  let cancel: Cancel = () => {};
  let wakeUp = () => {};
  let sweeping: Promise<void> | undefined;

  async function breathe(): Promise<void> {
    await new Promise<void>((resolve) => {
      wakeUp = resolve;
      cancel = clock.schedule(clock.now() + BREATH_MS, resolve);
    });
  }

  /** Who starts the app may have mended what could not be shown; what else was parked is not tried unasked. */
  async function lookAtParked(): Promise<void> {
    const parked = await store.agenda.deadLetters();
    if (parked.length === 0) return;
    const shown = parked.filter(({ key }) => key.task === 'redraw' || key.task === 'say');
    await store.agenda.wake(shown.map(({ key }) => ({ key, dueAt: clock.now() })));
    const still = parked.filter((each) => !shown.includes(each));
    if (still.length > 0) logDeadLetters(still);
  }

  function logDeadLetters(parked: readonly DeadLetter[]): void {
    log.error(
      { count: parked.length, parked: parked.slice(0, LOGGED) },
      'Parked work stands still until somebody writes in its thread.',
    );
  }

  async function sweep(): Promise<void> {
    await quarantine.release();
    for await (const wakes of findStalledWork(store, clock, quarantine.note)) {
      if (wakes.length > 0) {
        const keys = wakes.slice(0, LOGGED).map(({ key }) => key);
        log.warn({ count: wakes.length, keys }, 'Work stood still without a reason; it goes on.');
        await store.agenda.wake(wakes);
      }
      if (isStopped) return;
      await breathe();
      if (isStopped) return;
    }
  }

  function scheduleCheck(first: () => Promise<void>): void {
    sweeping = first()
      .then(sweep)
      .catch((error: unknown) => {
        log.error({ err: error }, 'The look for work that stands still failed; it is repeated.');
      })
      .finally(() => {
        sweeping = undefined;
        if (!isStopped)
          cancel = clock.schedule(clock.now() + EVERY_MS, () => scheduleCheck(async () => {}));
      });
  }

  return {
    start: () => scheduleCheck(lookAtParked),
    async stop() {
      isStopped = true;
      cancel();
      wakeUp();
      await sweeping;
    },
  };
}
