import type { AuditEntry } from '../domain/audit.ts';
import { createAuditCheck } from '../domain/audit-check.ts';
import { draftRemoval, draftSeal, isGenuine, placeNamed } from '../domain/audit-notes.ts';
import type { DeskDeps, Keeping, Work } from './deps.ts';

const PAGE = 1_000;
/** What one note speaks of: it is removed in one write. */
const BATCH = 5_000;
const MOST_BATCHES = 20;

/** Builds the upkeep of the audit: it is sealed as it stands, and what is older than a time is removed, unless it is broken. Resolves with whether there is more to remove. */
export function createTidyAudit({ store, clock, log }: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  const { audit } = store;

  /** A seal of nothing but the seal before it would say nothing. */
  async function sealNewest({ seal }: Keeping): Promise<void> {
    const newest = await audit.newest();
    const [entry] = newest === 0 ? [] : await audit.read(newest, 1);
    if (!entry || entry.event === draftSeal(entry, seal, 0).event) return;
    await audit.append([draftSeal(entry, seal, clock.now())]);
  }

  /** The first entries, as far as they are old. */
  async function readOld(before: number): Promise<readonly AuditEntry[]> {
    const old: AuditEntry[] = [];
    for (let from = 1; old.length < BATCH; ) {
      const page = await audit.read(from, PAGE);
      const young = page.findIndex(({ at }) => at >= before);
      old.push(...(young < 0 ? page : page.slice(0, young)));
      const last = page.at(-1);
      if (young >= 0 || !last || page.length < PAGE) break;
      from = last.seq + 1;
    }
    return old;
  }

  /** What is broken is evidence, and a note of ours must not speak for it. */
  async function isSound(old: readonly AuditEntry[], { seal }: Keeping): Promise<boolean> {
    const [first] = old;
    const check = createAuditCheck(seal);
    for (const entry of old) check.take({ kind: 'entry', entry });
    const { fault } = check.end(0);
    if (!fault) return true;
    const isStart = fault.kind === 'missing' && fault.through === (first?.seq ?? 0) - 1;
    return isStart && first !== undefined && (await isNoted(first, seal));
  }

  /** Whether what is gone before an entry was removed by us. */
  async function isNoted(first: AuditEntry, seal: Keeping['seal']): Promise<boolean> {
    const note = await audit.removal();
    const place = note && isGenuine(note, seal) ? placeNamed(note) : undefined;
    return place?.seq === first.seq - 1 && place.hash === first.previous;
  }

  async function removeBatch(before: number, keeping: Keeping, work: Work): Promise<boolean> {
    const old = await readOld(before);
    const last = old.at(-1);
    if (!last) return false;
    if (!(await isSound(old, keeping))) {
      log.error(
        { from: old[0]?.seq, through: last.seq },
        'The audit is broken, and nothing of it is removed: see “npx --no -- countersign audit verify”.',
      );
      return false;
    }
    await work.assertHeld();
    const facts = { before, count: old.length };
    const note = draftRemoval(last, facts, keeping.seal, clock.now());
    return (await audit.removeThrough(last, note)) && old.length >= BATCH;
  }

  return async function tidyAudit(
    before: number | undefined,
    keeping: Keeping,
    work: Work,
  ): Promise<boolean> {
    await sealNewest(keeping);
    if (before === undefined) return false;
    for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
      work.signal.throwIfAborted();
      if (!(await removeBatch(before, keeping, work))) return false;
    }
    return true;
  };
}
