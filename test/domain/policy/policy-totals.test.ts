import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import { countedCalls, sumField } from '../../../src/domain/policy/policy-totals.ts';
import type { GateFacts } from '../../../src/domain/policy/route.ts';
import { aCall } from '../../support/builders/a-call.ts';

const SELF = { id: 'call_m', createdAt: 5_000, position: 1 };

const call = (id: string, status: CallStatus, patch: Partial<Call> = {}): Call =>
  aCall({ id, status, createdAt: 4_000, position: 0, ...patch });

const idsOf = (calls: readonly Call[], self: GateFacts['call'] = SELF, since = 1_000) =>
  countedCalls(calls, self, since).map(({ id }) => id);

describe('the calls that count', () => {
  it('are pending, approved or may have run', () => {
    const statuses: readonly CallStatus[] = [
      'proposed',
      'pending',
      'approved',
      'running',
      'succeeded',
      'failed',
      'unknown',
      'replied',
      'ignored',
      'expired',
      'withdrawn',
      'refused',
    ];
    const counted = countedCalls(
      statuses.map((status) => call(`call_${status}`, status)),
      SELF,
      0,
    );
    assert.deepEqual(
      counted.map(({ status }) => status),
      ['pending', 'approved', 'running', 'succeeded', 'unknown'],
    );
  });

  it('do not include the call itself, or calls older than the window', () => {
    const calls = [
      call('call_m', 'approved'),
      call('call_a', 'succeeded', { createdAt: 1_000 }),
      call('call_b', 'succeeded', { createdAt: 1_001 }),
    ];
    assert.deepEqual(idsOf(calls), ['call_b']);
  });

  it('do not include later calls for a call that has started', () => {
    const calls = [
      call('call_before', 'succeeded', { claim: { at: 6_000, fence: 1 } }),
      call('call_after', 'running', { claim: { at: 6_001, fence: 2 } }),
      call('call_approved', 'approved'),
      call('call_waits', 'pending'),
    ];
    assert.deepEqual(idsOf(calls, { ...SELF, claimedAt: 6_000 }), ['call_before', 'call_waits']);
    assert.equal(idsOf(calls).length, 4);
  });

  it('include a pending call only if it came first: by time, then by position in its message, then by id', () => {
    const calls = [
      call('call_later', 'pending', { createdAt: 5_001 }),
      call('call_earlier', 'pending', { createdAt: 4_999, position: 9 }),
      call('call_after', 'pending', { createdAt: 5_000, position: 2 }),
      call('call_before', 'pending', { createdAt: 5_000, position: 0 }),
      call('call_z', 'pending', { createdAt: 5_000, position: 1 }),
      call('call_a', 'pending', { createdAt: 5_000, position: 1 }),
    ];
    assert.deepEqual(idsOf(calls), ['call_earlier', 'call_before', 'call_a']);
  });

  it('include an approved call at any position', () => {
    assert.deepEqual(idsOf([call('call_later', 'running', { createdAt: 9_000 })]), ['call_later']);
  });

  it('include all pending calls for a call that does not exist yet', () => {
    const calls = [call('call_a', 'pending', { createdAt: 9_000 })];
    assert.deepEqual(
      countedCalls(calls, undefined, 0).map(({ id }) => id),
      ['call_a'],
    );
  });

  it('include one of two pending calls for the other, and never both', () => {
    const place = fc.record({
      createdAt: fc.constantFrom(5_000, 5_001),
      position: fc.integer({ min: 0, max: 1 }),
    });
    fc.assert(
      fc.property(place, place, (left, right) => {
        const a = call('call_a', 'pending', left);
        const b = call('call_b', 'pending', right);
        const sees = (one: Call, other: Call) => countedCalls([other], one, 0).length;
        assert.equal(sees(a, b) + sees(b, a), 1);
      }),
    );
  });
});

describe('a sum', () => {
  it('adds up a field of this call and of the earlier ones', () => {
    assert.equal(sumField('amount', { amount: 1.5 }, [{ amount: 2 }, { amount: 0 }]), 3.5);
    assert.equal(sumField('a.b', { a: { b: 1 } }, [{ a: { b: 4 } }]), 5);
    assert.equal(sumField('amount', { amount: 7 }, []), 7);
  });

  it('fails if the field is missing, not a number or negative, and names the call', () => {
    const good = { amount: 1 };
    const bad = [
      [{}, /“amount” is missing/],
      [{ amount: null }, /is not a number/],
      [{ amount: '5' }, /is not a number/],
      [{ amount: -0.01 }, /is negative/],
      ['damaged', /is missing/],
      [null, /is missing/],
      [[1], /is missing/],
    ] as const;
    for (const [args, why] of bad) {
      assert.throws(() => sumField('amount', args, [good]), why);
      assert.throws(() => sumField('amount', args, [good]), /in this call\.$/);
      assert.throws(() => sumField('amount', good, [good, args]), why);
      assert.throws(() => sumField('amount', good, [good, args]), /in an earlier call\.$/);
    }
  });

  it('reads only own properties of the arguments', () => {
    assert.throws(() => sumField('constructor.length', {}, []), /is missing/);
    assert.throws(() => sumField('list.length', { list: [1] }, []), /is missing/);
  });
});
