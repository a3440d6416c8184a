import type { DeadLetter } from '../../domain/ports/agenda.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import { findStalledWork } from './find-stalled-work.ts';
import type { Quarantine } from './quarantine.ts';

/** The safety net under the agenda: checks at the start and periodically for stalled work. */
export interface StalledWorkSweep {
  start(): void;
  /** Resolves when the current check has ended. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 10 * 60_000;
/** Pause between two pages, so that people's requests go first. */
const PAGE_PAUSE_MS = 50;
const MAX_LOGGED = 20;

interface SweepDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the safety net of one worker. */
export function createStalledWorkSweep(
  deps: SweepDeps & { readonly quarantine: Pick<Quarantine, 'release' | 'note'> },
): StalledWorkSweep {
  const { store, clock, log, quarantine } = deps;
  let isStopped = false;
  let cancel: Cancel = () => {};
  let wakeUp = () => {};
  let sweeping: Promise<void> | undefined;

  async function pauseBetweenPages(): Promise<void> {
    await new Promise<void>((resolve) => {
      wakeUp = resolve;
      cancel = clock.schedule(clock.now() + PAGE_PAUSE_MS, resolve);
    });
  }

  async function sweep(): Promise<void> {
    await quarantine.release();
    for await (const wakes of findStalledWork(store, clock, quarantine.note)) {
      if (wakes.length > 0) {
        const keys = wakes.slice(0, MAX_LOGGED).map(({ key }) => key);
        log.warn({ count: wakes.length, keys }, 'Found stalled work; resuming it.');
        await store.agenda.wake(wakes);
      }
      if (isStopped) return;
      await pauseBetweenPages();
      if (isStopped) return;
    }
  }

  function scheduleCheck(first: () => Promise<void>): void {
    sweeping = first()
      .then(sweep)
      .catch((error: unknown) => {
        log.error({ err: error }, 'The check for stalled work failed; retrying later.');
      })
      .finally(() => {
        sweeping = undefined;
        if (!isStopped)
          cancel = clock.schedule(clock.now() + INTERVAL_MS, () => scheduleCheck(async () => {}));
      });
  }

  return {
    start: () => scheduleCheck(() => retryDeadLetters(deps)),
    async stop() {
      isStopped = true;
      cancel();
      wakeUp();
      await sweeping;
    },
  };
}

/**
 * Retries cards and messages, because the cause may be fixed since the restart. Other dead
 * letters wait for a person.
 */
async function retryDeadLetters({ store, clock, log }: SweepDeps): Promise<void> {
  const parked = await store.agenda.deadLetters();
  if (parked.length === 0) return;
  const retried = parked.filter(({ key }) => key.task === 'redraw' || key.task === 'say');
  await store.agenda.wake(retried.map(({ key }) => ({ key, dueAt: clock.now() })));
  const remaining = parked.filter((each) => !retried.includes(each));
  if (remaining.length > 0) logDeadLetters(log, remaining);
}

function logDeadLetters(log: Log, parked: readonly DeadLetter[]): void {
  log.error(
    { count: parked.length, parked: parked.slice(0, MAX_LOGGED) },
    'Some tasks were given up; they wait until somebody writes in their threads.',
  );
}
