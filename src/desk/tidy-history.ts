import { draftHistoryRemoval } from '../domain/audit-notes.ts';
import { StaleFenceError, StoreUnavailableError, type UntouchedThread } from '../domain/store.ts';
import type { DeskDeps, Keeping, Work } from './deps.ts';

const PAGE = 20;
const MOST_REMOVED = 1_000;

/** Builds the upkeep of the history: what is kept of threads that are untouched since a time is removed, a note of it in the audit. Resolves with whether there may be more. */
export function createTidyHistory({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  /** False where something of it is open, or it can't be removed: then the others are. */
  async function remove(found: UntouchedThread, { seal }: Keeping): Promise<boolean> {
    const { calls, thread, touchedAt, turns } = found;
    const facts = { turns, calls, untouchedSince: touchedAt };
    const note = draftHistoryRemoval(thread, facts, seal, clock.now());
    try {
      return await store.history.remove(found, { audit: [note] });
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof StaleFenceError) throw error;
      log.error({ err: error, thread }, 'What is kept of a thread could not be removed.');
      return false;
    }
  }

  return async function tidyHistory(
    before: number,
    keeping: Keeping,
    work: Work,
  ): Promise<boolean> {
    let skip = 0;
    for (let removed = 0; removed < MOST_REMOVED; ) {
      work.signal.throwIfAborted();
      await work.assertHeld();
      const page = await store.history.untouched(before, { skip, limit: PAGE });
      for (const found of page) {
        if (await remove(found, keeping)) removed += 1;
        else skip += 1;
      }
      if (page.length < PAGE) return false;
    }
    return true;
  };
}
