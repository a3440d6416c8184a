import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AUDIT_GENESIS,
  type AuditDraft,
  type AuditEntry,
  chainAudit,
} from '../../src/domain/audit.ts';
import { type AuditReport, createAuditCheck } from '../../src/domain/audit-check.ts';
import { draftHistoryRemoval, draftRemoval, draftSeal } from '../../src/domain/audit-notes.ts';
import { createAuditSeal } from '../../src/domain/seal.ts';
import { THREAD } from '../support/a-call.ts';

const KEY = createAuditSeal(new Uint8Array(32).fill(1));
const OTHER_KEY = createAuditSeal(new Uint8Array(32).fill(2));

function draft(event: string): AuditDraft {
  return { at: 1_000, event, subject: 's', actor: 'T1/U1', detail: { n: 1 } };
}

/** Drafts, or what makes one out of the entries so far, as a chain. */
function chain(
  ...drafts: readonly (AuditDraft | ((sofar: readonly AuditEntry[]) => AuditDraft))[]
): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const each of drafts) {
    const made = typeof each === 'function' ? each(entries) : each;
    const { hash } = entries.at(-1) ?? { hash: AUDIT_GENESIS };
    entries.push(chainAudit(made, entries.length + 1, hash));
  }
  return entries;
}

const at = (entries: readonly AuditEntry[], seq: number): AuditEntry => {
  const entry = entries[seq - 1];
  assert.ok(entry);
  return entry;
};

const sealOf =
  (seq: number, key = KEY) =>
  (sofar: readonly AuditEntry[]) =>
    draftSeal(at(sofar, seq), key, 2_000);

const removalOf =
  (seq: number, key = KEY) =>
  (sofar: readonly AuditEntry[]) =>
    draftRemoval(at(sofar, seq), { before: 1_500, count: seq }, key, 2_000);

function check(
  entries: readonly AuditEntry[],
  { newest, hasKey = true }: { newest?: number; hasKey?: boolean } = {},
): AuditReport {
  const checking = createAuditCheck(hasKey ? KEY : undefined);
  for (const entry of entries) checking.take({ kind: 'entry', entry });
  return checking.end(newest ?? entries.at(-1)?.seq ?? 0);
}

function faultOf(...args: Parameters<typeof check>) {
  const { fault } = check(...args);
  return fault && [fault.kind, fault.seq, fault.through];
}

/** Puts a chain behind its first `keep` entries as somebody who knows how, but not the key. */
function rewrite(
  entries: readonly AuditEntry[],
  from: number,
  change: (entry: AuditEntry) => AuditDraft,
) {
  const out = entries.slice(0, from - 1);
  for (const entry of entries.slice(from - 1)) {
    const made = entry.seq === from ? change(entry) : entry;
    out.push(chainAudit(made, entry.seq, out.at(-1)?.hash ?? AUDIT_GENESIS));
  }
  return out;
}

const ABC = chain(draft('a'), draft('b'), draft('c'), draft('d'));
const [A, B, C, D] = ABC as [AuditEntry, AuditEntry, AuditEntry, AuditEntry];

describe('a check of the audit', () => {
  it('finds nothing in a chain that is whole, nor in none', () => {
    const { checked, fault, first, last } = check(ABC);
    assert.deepEqual([checked, fault, first, last], [4, undefined, A, D]);
    assert.deepEqual(check([]), { checked: 0, unproven: 0 });
  });

  it('names the first entry that is not as it was written, and how', () => {
    assert.deepEqual(faultOf([A, { ...B, actor: 'T1/U9' }, { ...C, at: 5 }, D]), [
      'changed',
      2,
      undefined,
    ]);
    assert.deepEqual(faultOf([A, B, { ...C, detail: { n: 2 } }, D]), ['changed', 3, undefined]);
    assert.deepEqual(faultOf([A, { ...B, seq: 7 }, C, D]), ['changed', 7, undefined]);
    assert.deepEqual(faultOf([A, D]), ['missing', 2, 3]);
    assert.deepEqual(faultOf([B, C, D]), ['missing', 1, 1]);
    assert.deepEqual(faultOf([A, B, B, C, D]), ['order', 2, undefined]);
    assert.deepEqual(faultOf([B, A, C, D]), ['missing', 1, 1]);
    const other = chainAudit(draft('x'), 2, A.hash);
    assert.deepEqual(faultOf([A, other, C, D]), ['replaced', 3, undefined]);
    assert.deepEqual(faultOf([A, B], { newest: 4 }), ['cut', 3, 4]);
    assert.deepEqual(faultOf([], { newest: 1 }), ['cut', 1, 1]);
    const checking = createAuditCheck(KEY);
    checking.take({ kind: 'entry', entry: A });
    checking.take({ kind: 'unreadable', seq: 2, why: 'no JSON' });
    assert.deepEqual(checking.end(2).fault, { kind: 'unreadable', seq: 2 });
  });

  it('counts what holds before the break, and nothing after it', () => {
    assert.equal(check([A, B, { ...C, at: 5 }, D]).checked, 2);
  });

  it('takes entries for removed when a note that was made with the key says so, and for gone otherwise', () => {
    const noted = chain(draft('a'), draft('b'), draft('c'), removalOf(2), draft('e'));
    const { checked, fault, removal } = check(noted.slice(2));
    assert.deepEqual([checked, fault, removal?.seq], [3, undefined, 4]);
    assert.deepEqual(faultOf(noted.slice(1)), ['missing', 1, 1]);
    assert.deepEqual(faultOf(noted.slice(4)), ['missing', 1, 4]);
    const forged = chain(draft('a'), draft('b'), draft('c'), removalOf(2, OTHER_KEY), draft('e'));
    assert.deepEqual(faultOf(forged.slice(2)), ['missing', 1, 2]);
    assert.deepEqual(faultOf(forged), ['forged', 4, undefined]);
    const ofOthers = chain(draft('x'), draft('y'), draft('c'), () => at(noted, 4), draft('e'));
    assert.deepEqual(faultOf(ofOthers.slice(2)), ['missing', 1, 2]);
  });

  it('finds the later of two breaks when a note speaks for the earlier one', () => {
    const noted = chain(draft('a'), draft('b'), draft('c'), draft('d'), removalOf(2));
    const [, , c, d, note] = noted as [AuditEntry, AuditEntry, AuditEntry, AuditEntry, AuditEntry];
    assert.deepEqual(faultOf([c, { ...d, at: 5 }, note]), ['changed', 4, undefined]);
  });

  it('finds that all of it was rewritten by whoever has not the key', () => {
    const sealed = chain(draft('a'), draft('b'), sealOf(2), draft('d'));
    assert.equal(check(sealed).sealed?.through, 2);
    const changed = rewrite(sealed, 1, (entry) => ({ ...entry, actor: 'T1/U9' }));
    assert.equal(check(changed, { hasKey: false }).fault, undefined);
    assert.deepEqual(faultOf(changed), ['unlike-its-seal', 3, undefined]);
    const resealed = rewrite(sealed, 3, () => sealOf(2, OTHER_KEY)(sealed));
    assert.deepEqual(faultOf(resealed), ['forged', 3, undefined]);
    const removal = draftHistoryRemoval(
      THREAD,
      { turns: 1, calls: 1, untouchedSince: 1 },
      KEY,
      2_000,
    );
    const noted = chain(draft('a'), removal);
    assert.equal(check(noted).fault, undefined);
    const lie = rewrite(noted, 2, (entry) => ({ ...entry, detail: { ...entry.detail, calls: 0 } }));
    assert.deepEqual(faultOf(lie), ['forged', 2, undefined]);
  });

  it('says up to where it is sealed, and what it could not prove without the key', () => {
    const sealed = chain(draft('a'), sealOf(1), draft('c'), sealOf(3), draft('e'));
    assert.deepEqual(check(sealed).sealed, { through: 3, by: at(sealed, 4) });
    const { sealed: none, unproven } = check(sealed, { hasKey: false });
    assert.deepEqual([none, unproven], [undefined, 2]);
    assert.equal(check(ABC).sealed, undefined);
  });
});
