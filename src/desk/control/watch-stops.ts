import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { StopSignals } from './stop-signals.ts';

/** Maximum delay of a stop for work in another process. */
const INTERVAL_MS = 500;

/**
 * Aborts work in this process for threads that people stopped in other processes sharing the store,
 * until cancelled.
 */
export function watchStops(deps: {
  readonly inbox: Pick<Store['inbox'], 'current'>;
  readonly signals: StopSignals;
  readonly clock: Clock;
  readonly log: Log;
}): Cancel {
  const { inbox, signals, clock, log } = deps;
  let isOver = false;
  let cancel = schedule();

  function schedule(): Cancel {
    return clock.schedule(clock.now() + INTERVAL_MS, () => {
      abortStopped()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'Could not check for stops of other processes.'),
        )
        .finally(() => {
          if (!isOver) cancel = schedule();
        });
    });
  }

  async function abortStopped(): Promise<void> {
    for (const thread of signals.watched()) {
      // A damaged message must not keep other threads from being stopped.
      const current = await inbox.current(thread).catch(recoverDamaged(undefined));
      // The mark stays until everything that runs for the turn has ended.
      if (current?.stopped) signals.stop(thread);
    }
  }

  return () => {
    isOver = true;
    cancel();
  };
}
