import type { Agenda, Lease } from '../../domain/ports/agenda.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import { INITIAL_BACKOFF_MS } from './backoff.ts';

/** Renewals per lease, so that one of them may fail. */
const RENEWALS = 3;

export interface LeaseDeps {
  readonly agenda: Agenda;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseMs: number;
  /** For running tools, from the first renewal on. */
  readonly runLeaseMs: number;
}

/** The lease of running work. */
export interface RunningLease {
  /** As renewed last. */
  current(): Lease;
  /** False once it is lost or released. */
  isOverdue(now: number): boolean;
  renew(): Promise<void>;
  /** Throws if another worker may have the work. */
  assertHeld(): Promise<void>;
  /** Ends the renewals. */
  release(): void;
}

/** Renews the lease of running work in time. Aborts the work once another worker has it. */
export function keepLease(deps: LeaseDeps, first: Lease, abort: AbortController): RunningLease {
  const { agenda, clock, log, leaseMs, runLeaseMs } = deps;
  let lease = first;
  let leasedMs = leaseMs;
  let isOver = false;
  let cancelRenewal = scheduleRenewal();

  /** A lease from an older hold has less time left. */
  function scheduleRenewal(at = lease.expiresAt - leasedMs + leasedMs / RENEWALS): Cancel {
    return clock.schedule(at, () => {
      renew().catch((error: unknown) => {
        log.warn({ err: error, key: first.key }, 'Could not renew a lease.');
        const delayMs = Math.min(INITIAL_BACKOFF_MS, leaseMs / RENEWALS);
        cancelRenewal = scheduleRenewal(clock.now() + delayMs);
      });
    });
  }

  async function renew(): Promise<void> {
    leasedMs = first.key.task === 'run' ? runLeaseMs : leaseMs;
    const renewed = await agenda.renew(lease, clock.now(), leasedMs);
    if (isOver) return;
    if (!renewed) {
      isOver = true;
      abort.abort(new StaleFenceError('Another worker has this work now.'));
      return;
    }
    lease = renewed;
    cancelRenewal();
    cancelRenewal = scheduleRenewal();
  }

  const isExpired = () => clock.now() >= lease.expiresAt;

  return {
    current: () => lease,
    isOverdue: (now) => !isOver && now >= lease.expiresAt,
    renew,
    /** The clock detects a stall even if no timer fired. A lease that nobody took is renewed. */
    async assertHeld() {
      if (isExpired() && !abort.signal.aborted) await renew();
      if (!isExpired() && !abort.signal.aborted) return;
      throw new StaleFenceError('The lease has expired: another worker may have this work now.');
    },
    release() {
      isOver = true;
      cancelRenewal();
    },
  };
}
