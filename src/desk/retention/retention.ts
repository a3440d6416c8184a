/**
 * Keeps the records: looks every hour whether the audit is sealed, and removes what is older than the days that were
 * set. Days are whole ones of UTC, so that a removal comes once a day however often the app starts.
 */
import { retentionKey } from '../../domain/ports/agenda.ts';
import type { Cancel } from '../../domain/ports/clock.ts';
import type { DeskDeps, HeldWork, RetentionSettings } from '../deps.ts';
import { createAuditRetention } from './audit-retention.ts';
import { createHistoryRetention } from './history-retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Between two parts of a large removal: people come first. */
const BREATH_MS = 1_000;
const TRY_AGAIN_MS = 60_000;

const NO_END =
  'HISTORY_DAYS removes nothing: a condition of the policy computes how far back it looks at calls. Write that span into the condition.';

/** The upkeep of one worker. */
export interface Retention {
  /** Puts the upkeep on the agenda, where it stays. */
  start(): void;
  stop(): void;
  /** Does it for the records that the key names. */
  work(what: string, work: HeldWork): Promise<void>;
}

/** Creates the upkeep; without settings for it nothing is done. */
export function createRetention(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'retention'>,
): Retention {
  const { clock, retention, log, store } = deps;
  const tidyAudit = createAuditRetention(deps);
  const tidyHistory = createHistoryRetention(deps);
  let cancel: Cancel = () => {};
  let isStopped = false;

  async function plan(what: 'audit' | 'history', dueAt: number): Promise<void> {
    await store.agenda.wake([{ key: retentionKey(what), dueAt }]);
  }

  async function ofAudit({ auditDays }: RetentionSettings, work: HeldWork): Promise<void> {
    const now = clock.now();
    const before = auditDays === undefined ? undefined : dayOf(now) - auditDays * DAY_MS;
    await tidyAudit(before, work);
    await plan('audit', now + HOUR_MS);
  }

  async function ofHistory(settings: RetentionSettings, work: HeldWork): Promise<void> {
    const { historyDays, lookBackMs } = settings;
    if (historyDays === undefined) return;
    const now = clock.now();
    // What the policy still adds up is needed.
    const keptMs = Math.max(historyDays * DAY_MS, lookBackMs());
    const isBounded = Number.isFinite(keptMs);
    if (!isBounded) log.warn({ historyDays }, NO_END);
    const isMore = isBounded && (await tidyHistory(dayOf(now) - keptMs, work));
    await plan('history', isMore ? now + BREATH_MS : dayOf(now) + DAY_MS);
  }

  function begin(): void {
    const now = clock.now();
    Promise.all([plan('audit', now), plan('history', now)]).catch((error: unknown) => {
      if (isStopped) return;
      log.error({ err: error }, 'The upkeep of the records could not be planned; it is repeated.');
      cancel = clock.schedule(clock.now() + TRY_AGAIN_MS, begin);
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
      await (what === 'audit' ? ofAudit(retention, work) : ofHistory(retention, work));
    },
  };
}

/** When the day of a moment began, in UTC. */
function dayOf(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}
