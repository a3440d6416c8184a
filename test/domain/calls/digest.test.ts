import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../../src/domain/calls/call.ts';
import {
  callDigestOf,
  cardDigest,
  encodeCardToken,
  parseCardToken,
  shortDigest,
} from '../../../src/domain/calls/digest.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { childThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { aCall, REQUESTER, THREAD } from '../../support/builders/a-call.ts';

type Bound = Pick<Call, 'id' | 'attempt' | 'tool' | 'schemaHash' | 'args' | 'requester' | 'thread'>;

// Texts that are equal when joined: a careless digest would confuse them.
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'a', 'ab', 'b', 'bc', 'c', '"', '\\', '\0', ','),
);
const thread = fc.constantFrom(
  THREAD,
  threadKey({ team: 'T1', channel: 'C1', ts: '1700000000.000101' }),
  childThreadKey(THREAD, 'call_a'),
);
const bound: fc.Arbitrary<Bound> = fc.record({
  id: text,
  attempt: fc.integer({ min: 1, max: 12 }),
  tool: text,
  schemaHash: text,
  args: text,
  requester: fc.record({ team: text, user: text }),
  thread,
});

test('two calls have the same digest only if all bound parts are equal', () => {
  fc.assert(
    fc.property(bound, bound, (a, b) => {
      const isEqual = JSON.stringify(a) === JSON.stringify(b);
      assert.equal(callDigestOf(a) === callDigestOf(b), isEqual);
    }),
  );
});

test('any changed bound part changes the digest', () => {
  const parts = fc.constantFrom<keyof Bound>(
    'id',
    'attempt',
    'tool',
    'schemaHash',
    'args',
    'requester',
    'thread',
  );
  fc.assert(
    fc.property(bound, bound, parts, (call, other, part) => {
      fc.pre(JSON.stringify(call[part]) !== JSON.stringify(other[part]));
      assert.notEqual(callDigestOf({ ...call, [part]: other[part] }), callDigestOf(call));
    }),
  );
});

test('unbound parts do not change the digest', () => {
  const call = aCall();
  const { digest } = call;
  assert.match(digest, /^[0-9a-f]{64}$/);
  const changed = {
    ...call,
    status: 'approved',
    revision: 9,
    votes: [],
    words: 'x',
    deadlineAt: 5,
  } as const;
  assert.equal(callDigestOf(changed), digest);
});

test('the digest of stored calls never changes between versions', () => {
  // It is recomputed before every run, so a different hash would stop all pending calls.
  assert.equal(aCall().digest, 'd06000746d0d15014049219c8edc78811f1258e47e316cc01865a7eee72aa693');
});

test('a token is read as it was written', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_-]{16,64}$/);
  const attempt = fc.integer({ min: 1, max: 999_999 });
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(part, attempt, digest, (id, n, hash) => {
      const call = aCall({ id: `call_${id}`, attempt: n, digest: hash });
      const token = encodeCardToken(call);
      assert.deepEqual(parseCardToken(token), {
        callId: `call_${id}`,
        attempt: n,
        digest: shortDigest(hash),
        card: cardDigest(call),
      });
    }),
  );
});

test('a token of an earlier version is read, without a route mark', () => {
  const old = encodeCardToken(aCall()).split('.').slice(0, 3).join('.');
  assert.equal(parseCardToken(old)?.card, '');
});

test('the route mark in a token changes with the route and the risk', () => {
  const shown = cardDigest(aCall());
  assert.equal(cardDigest(aCall({ votes: [{ by: REQUESTER, at: 1 }], note: 'n' })), shown);
  for (const patch of [{ risk: 'high' }, { route: { ...REQUESTER_ROUTE, quorum: 2 } }] as const) {
    assert.notEqual(cardDigest(aCall(patch)), shown);
  }
});

test('an invalid token is not read', () => {
  const good = encodeCardToken(aCall());
  assert.ok(parseCardToken(good));
  for (const bad of [
    '',
    ` ${good}`,
    `${good}\n`,
    `${good}0`,
    good.slice(0, -1),
    good.replace('call_', ''),
    good.replace('.1.', '.0.'),
    good.replace('.1.', '.01.'),
    good.replace('.1.', '.-1.'),
    good.replace('.1.', '.1e3.'),
    good.replace('.1.', '.1234567.'),
    good.toUpperCase(),
    good.replace('call_a', 'call_/'),
  ]) {
    assert.equal(parseCardToken(bad), undefined, JSON.stringify(bad));
  }
  fc.assert(
    fc.property(fc.string(), (any) => {
      const token = parseCardToken(any);
      if (token) assert.equal(any, `${token.callId}.${token.attempt}.${token.digest}`);
    }),
  );
});
