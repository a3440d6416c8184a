/**
 * Retention: seals the audit every hour and removes records older than the configured days. Days
 * are UTC days, so that records are removed once a day, however often the app starts.
 */
import { retentionKey } from '../../domain/ports/agenda.ts';
import type { Cancel } from '../../domain/ports/clock.ts';
import type { DeskDeps, HeldWork, RetentionSettings } from '../deps.ts';
import { createAuditRetention } from './audit-retention.ts';
import { createHistoryRetention } from './history-retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Pause between two parts of a large removal, so that people's requests go first. */
const PAUSE_MS = 1_000;
const RETRY_MS = 60_000;

const UNBOUNDED =
  'HISTORY_DAYS removes nothing, because a policy condition computes how far back it looks at calls. Write that time span into the condition as a literal.';

/** The retention of one worker. */
export interface Retention {
  /** Schedules the retention tasks; they reschedule themselves. */
  start(): void;
  stop(): void;
  /** Runs the task for `audit` or `history`. */
  work(what: string, work: HeldWork): Promise<void>;
}

/** Creates the retention; without settings it does nothing. */
export function createRetention(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'retention'>,
): Retention {
  const { clock, retention, log, store } = deps;
  const retainAudit = createAuditRetention(deps);
  const retainHistory = createHistoryRetention(deps);
  let cancel: Cancel = () => {};
  let isStopped = false;

  async function schedule(what: 'audit' | 'history', dueAt: number): Promise<void> {
    await store.agenda.wake([{ key: retentionKey(what), dueAt }]);
  }

  async function runAudit({ auditDays }: RetentionSettings, work: HeldWork): Promise<void> {
    const now = clock.now();
    const before = auditDays === undefined ? undefined : dayOf(now) - auditDays * DAY_MS;
    await retainAudit(before, work);
    await schedule('audit', now + HOUR_MS);
  }

  async function runHistory(settings: RetentionSettings, work: HeldWork): Promise<void> {
    const { historyDays, lookBackMs } = settings;
    if (historyDays === undefined) return;
    const now = clock.now();
    // The policy still needs calls within its look-back.
    const keptMs = Math.max(historyDays * DAY_MS, lookBackMs());
    const isBounded = Number.isFinite(keptMs);
    if (!isBounded) log.warn({ historyDays }, UNBOUNDED);
    const isMore = isBounded && (await retainHistory(dayOf(now) - keptMs, work));
    await schedule('history', isMore ? now + PAUSE_MS : dayOf(now) + DAY_MS);
  }

  function begin(): void {
    const now = clock.now();
    Promise.all([schedule('audit', now), schedule('history', now)]).catch((error: unknown) => {
      if (isStopped) return;
      log.error({ err: error }, 'Could not schedule retention; retrying.');
      cancel = clock.schedule(clock.now() + RETRY_MS, begin);
    });
  }

  return {
    start() {
      if (retention) begin();
    },
    stop() {
      isStopped = true;
      cancel();
    },
    async work(what, work) {
      if (!retention) return;
      await (what === 'audit' ? runAudit(retention, work) : runHistory(retention, work));
    },
  };
}

/** Start of a time's day in UTC, in ms. */
function dayOf(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}
