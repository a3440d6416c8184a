import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AuditChain,
  type AuditDraft,
  NO_CHAIN,
  nextAuditPlace,
  readAuditChain,
  readAuditLine,
  writeAuditChain,
  writeAuditEntry,
} from '../../../src/domain/audit/audit.ts';
import { createAuditCheck } from '../../../src/domain/audit/audit-check.ts';
import { createAuditSeal } from '../../../src/domain/calls/seal.ts';

const SEAL = createAuditSeal(new Uint8Array(32).fill(1));
const OTHER = createAuditSeal(new Uint8Array(32).fill(2));

const draft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    at: fc.nat(),
    event: fc.string(),
    subject: fc.string(),
    actor: fc.string(),
    detail: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
      { noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);

/** Checks texts as an audit whose seal covers this chain. */
function faultOf(texts: readonly string[], chain: AuditChain = NO_CHAIN) {
  const check = createAuditCheck(chain, SEAL);
  for (const [index, text] of texts.entries()) check.take(index + 1, text);
  const { fault } = check.end(texts.length);
  return fault && [fault.kind, fault.seq];
}

function chainOf(texts: readonly string[]): AuditChain {
  let through = NO_CHAIN.through;
  for (const [index, text] of texts.entries()) through = nextAuditPlace(through, index + 1, text);
  return { ...NO_CHAIN, through, sealedAt: 5 };
}

test('an entry is read as it was written, and rejected with another key', () => {
  fc.assert(
    fc.property(draft, fc.option(fc.nat(), { nil: undefined }), (made, revision) => {
      const text = writeAuditEntry(made, revision, SEAL);
      const line = readAuditLine(text, 7, SEAL);
      assert.ok(line.kind === 'entry');
      const { mark, seq, revision: found, ...rest } = line.entry;
      assert.deepEqual([rest, seq, found], [made, 7, revision]);
      assert.match(mark, /^[0-9a-f]{64}$/);
      assert.equal(readAuditLine(text, 7, OTHER).kind, 'changed');
    }),
  );
});

test('the first changed text is found, whatever was changed', () => {
  fc.assert(
    fc.property(
      fc.array(draft, { minLength: 1 }),
      fc.nat(),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
      (drafts, where, place, letter) => {
        const texts = drafts.map((each) => writeAuditEntry(each, undefined, SEAL));
        assert.equal(faultOf(texts), undefined);
        const at = where % texts.length;
        const old = texts[at] ?? '';
        const cut = place % old.length;
        const changed = old.slice(0, cut) + letter + old.slice(cut + 1);
        // White space between the parts, or an escaped letter, changes nothing.
        fc.pre(JSON.stringify(parse(changed)) !== JSON.stringify(parse(old)));
        const [kind, seq] = faultOf(texts.with(at, changed)) ?? [];
        assert.ok(kind === 'changed' || kind === 'unreadable', String(kind));
        assert.equal(seq, at + 1);
      },
    ),
  );
});

test('reordered, repeated or missing entries are found by the seal', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(draft, { minLength: 2, selector: (d) => JSON.stringify(d) }),
      (drafts) => {
        const texts = drafts.map((each) => writeAuditEntry(each, undefined, SEAL));
        const sealed = chainOf(texts);
        assert.equal(faultOf(texts, sealed), undefined);
        const [first = '', second = '', ...rest] = texts;
        assert.deepEqual(faultOf([second, first, ...rest], sealed), [
          'unlike-its-seal',
          texts.length,
        ]);
        assert.deepEqual(faultOf([first, first, ...rest], sealed), [
          'unlike-its-seal',
          texts.length,
        ]);
        assert.deepEqual(faultOf(texts.slice(0, -1), sealed), ['cut', texts.length]);
      },
    ),
  );
});

test('the record of the chain is accepted only with its key', () => {
  const chain = chainOf(['a', 'b']);
  const text = writeAuditChain(chain, SEAL);
  assert.deepEqual(readAuditChain(text, SEAL), chain);
  assert.deepEqual(readAuditChain(text, undefined), chain);
  assert.equal(readAuditChain(text, OTHER), 'forged');
  for (const forged of [
    text.replace('"seq":2', '"seq":1'),
    text.replace('"sealedAt":5', '"sealedAt":6'),
    '{}',
    '',
    'null',
    '[1]',
  ]) {
    assert.equal(readAuditChain(forged, SEAL), 'forged');
  }
});

test('other texts are not entries', () => {
  const whole = writeAuditEntry(
    { at: 1, event: 'a', subject: 'b', actor: 'c', detail: {} },
    1,
    SEAL,
  );
  for (const text of [
    '',
    'null',
    '7',
    '[]',
    '{}',
    '{"entry":7,"mark":"x"}',
    '{"entry":"{}","mark":"x"}',
    whole.slice(1),
  ]) {
    assert.deepEqual(readAuditLine(text, 3, SEAL), { kind: 'unreadable', seq: 3 });
  }
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
