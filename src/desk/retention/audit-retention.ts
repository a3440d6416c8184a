import type { DeskDeps, HeldWork } from '../deps.ts';

/**
 * Builds the retention of the audit: seals it, and removes entries older than `before` unless the
 * audit is broken.
 */
export function createAuditRetention({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  const { audit } = store;

  return async function retainAudit(before: number | undefined, work: HeldWork): Promise<void> {
    await audit.seal(clock.now());
    if (before === undefined) return;
    const { fault } = await audit.check();
    if (fault) {
      log.error(
        { fault },
        'The audit is broken, so none of it is removed: run “npx --no -- countersign audit verify”.',
      );
      return;
    }
    await work.assertHeld();
    await audit.removeOlder(before, clock.now());
  };
}
