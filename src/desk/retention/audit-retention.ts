import type { DeskDeps, HeldWork } from '../deps.ts';

/** Builds the upkeep of the audit: it is sealed as it stands, and what is older than a time is removed, unless it is broken. */
export function createAuditRetention({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  const { audit } = store;

  return async function tidyAudit(before: number | undefined, work: HeldWork): Promise<void> {
    await audit.seal(clock.now());
    if (before === undefined) return;
    const { fault } = await audit.check();
    if (fault) {
      log.error(
        { fault },
        'The audit is broken, and nothing of it is removed: see “npx --no -- countersign audit verify”.',
      );
      return;
    }
    await work.assertHeld();
    await audit.removeOlder(before, clock.now());
  };
}
