import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  AUDIT_GENESIS,
  type AuditDraft,
  type AuditEntry,
  chainAudit,
  firstBrokenEntry,
} from '../../src/domain/audit.ts';

const draft: fc.Arbitrary<AuditDraft> = fc.record({
  at: fc.nat(),
  event: fc.string(),
  subject: fc.string(),
  actor: fc.string(),
  detail: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
});

function chain(drafts: readonly AuditDraft[]): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const [index, one] of drafts.entries()) {
    entries.push(chainAudit(one, index + 1, entries.at(-1)?.hash ?? AUDIT_GENESIS));
  }
  return entries;
}

test('a chain as it was made holds, also after its JSON was stored and read', () => {
  fc.assert(
    fc.property(fc.array(draft), (drafts) => {
      const entries = chain(drafts);
      assert.equal(firstBrokenEntry(entries), undefined);
      assert.equal(firstBrokenEntry(JSON.parse(JSON.stringify(entries))), undefined);
    }),
  );
});

test('the first entry that was changed is found, whatever was changed', () => {
  const changes: fc.Arbitrary<Partial<AuditEntry>> = fc.constantFrom<Partial<AuditEntry>>(
    { at: -1 },
    { event: 'call.forged' },
    { subject: 'call_forged' },
    { actor: 'T1/UFORGED' },
    { detail: { forged: true } },
    { hash: 'f'.repeat(64) },
    { previous: 'f'.repeat(64) },
    { seq: 99 },
  );
  fc.assert(
    fc.property(fc.array(draft, { minLength: 1 }), fc.nat(), changes, (drafts, where, change) => {
      const at = where % drafts.length;
      const entries = chain(drafts).map((entry, index) =>
        index === at ? { ...entry, ...change } : entry,
      );
      assert.equal(firstBrokenEntry(entries), at + 1);
    }),
  );
});
