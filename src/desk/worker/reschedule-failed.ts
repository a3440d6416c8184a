import type { Agenda, Lease } from '../../domain/ports/agenda.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import { RateLimitedError } from '../delivery/channel-rate-limiter.ts';
import { backoffDelayMs } from './backoff.ts';
import { isPermanentFailure } from './retry-policy.ts';

export interface FailureDeps {
  readonly agenda: Agenda;
  readonly clock: Clock;
  readonly log: Log;
  /** Called before a task becomes a dead letter; a rejection postpones that. */
  readonly beforePark: (lease: Lease, error: unknown) => Promise<void>;
}

/** Schedules a failed task again, or moves it to the dead letters. */
export async function rescheduleFailed(
  deps: FailureDeps,
  lease: Lease,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { agenda, clock, log, beforePark } = deps;
  if (error instanceof RateLimitedError) return await agenda.postpone(lease, error.dueAt);
  if (error instanceof StaleFenceError || signal.aborted)
    return await leave(deps, lease, error, signal);
  const reason = error instanceof Error ? error.message : String(error);
  const now = clock.now();
  if (isPermanentFailure(lease, error)) {
    log.error(
      { err: error, key: lease.key, tries: lease.tries + 1 },
      'Gave up a task; it waits until somebody wakes it.',
    );
    await beforePark(lease, error);
    await agenda.moveToDeadLetters(lease, now, reason);
    return;
  }
  log.warn({ err: error, key: lease.key, tries: lease.tries + 1 }, 'A task failed; retrying.');
  await agenda.backOff(lease, now + backoffDelayMs(lease, error), reason);
}

async function leave(
  { agenda, clock, log }: FailureDeps,
  lease: Lease,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  log.warn({ key: lease.key }, 'Left a task: another worker has it, or the process is stopping.');
  if ([error, signal.reason].some((each) => each instanceof StaleFenceError)) return;
  // The next worker may start at once, except for tools, which may still be running here.
  if (lease.key.task !== 'run') await agenda.postpone(lease, clock.now());
}
