import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { StopSignals } from './stop-signals.ts';

/** A stop is felt by what runs in another process after this at the latest. */
const LOOK_MS = 500;

/** Where several processes share a store: aborts what runs here for threads that a person stopped elsewhere, until it is cancelled. */
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
    return clock.schedule(clock.now() + LOOK_MS, () => {
      abortStopped()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'Stops of other processes were not looked for.'),
        )
        .finally(() => {
          if (!isOver) cancel = schedule();
        });
    });
  }

  async function abortStopped(): Promise<void> {
    for (const thread of signals.watched()) {
      // A damaged message holds up its own thread, and not the stops of others.
      const current = await inbox.current(thread).catch(recoverDamaged(undefined));
      // The mark stays until all that runs for the turn has ended.
      if (current?.stopped) signals.stop(thread);
    }
  }

  return () => {
    isOver = true;
    cancel();
  };
}
