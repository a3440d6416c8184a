import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import {
  createSeal,
  isIntact,
  withCallSeal,
  withCheckedSeal,
} from '../../../src/domain/calls/seal.ts';
import { APPROVER, aCall, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { TEST_SEAL } from '../../support/test-secret-mark.ts';

const VOTES = [{ by: APPROVER, at: 5 }];

/** A call as a store keeps it. */
function stored(patch: Partial<Call> = {}): Call {
  const call = aCall({ route: TWO_APPROVERS, votes: VOTES, agent: 'scout', ...patch });
  return JSON.parse(JSON.stringify(withCallSeal(call, TEST_SEAL)));
}

describe('the seal of a call', () => {
  it('is valid for the call as it was stored, whatever the order of its keys', () => {
    const call = stored();
    const turned = Object.fromEntries(Object.entries(call).reverse()) as unknown as Call;
    for (const each of [call, turned, { ...call, delivered: true }]) {
      const read = withCheckedSeal(each, TEST_SEAL);
      assert.equal(read.sealProblem, undefined);
      assert.ok(isIntact(read));
      assert.deepEqual(read.votes, VOTES);
    }
  });

  it('supports lone surrogates, which a tool may return', () => {
    const outcome = { kind: 'result', text: 'half \ud800' } as const;
    assert.equal(
      withCheckedSeal(stored({ outcome, words: '\udc00' }), TEST_SEAL).sealProblem,
      undefined,
    );
  });

  it('becomes invalid when any part of the call changes, or a key is added', () => {
    const call = stored();
    for (const key of Object.keys(call) as (keyof Call)[]) {
      if (key === 'delivered' || key === 'seal') continue;
      const read = withCheckedSeal({ ...call, [key]: 'other' } as Call, TEST_SEAL);
      assert.equal(read.sealProblem, 'forged', key);
    }
    const added = { ...call, verdict: { kind: 'approve', by: APPROVER, at: 5 } } as const;
    assert.equal(withCheckedSeal(added, TEST_SEAL).sealProblem, 'forged');
  });

  it('cannot be made with another key', () => {
    const other = createSeal(new Uint8Array(32).fill(8));
    const forged = { ...stored(), args: '{}' };
    const made = withCallSeal({ ...forged, digest: callDigestOf(forged) }, other);
    assert.equal(withCheckedSeal(made, TEST_SEAL).sealProblem, 'forged');
    assert.ok(!isIntact(withCheckedSeal(made, TEST_SEAL)));
  });

  it('stays invalid through every later step, and the problem is never stored', () => {
    const forged = withCheckedSeal({ ...stored(), votes: [] }, TEST_SEAL);
    const next = withCallSeal({ ...forged, revision: forged.revision + 1 }, TEST_SEAL);
    assert.equal(next.sealProblem, undefined);
    assert.equal(withCheckedSeal(next, TEST_SEAL).sealProblem, 'forged');
    const claims = { ...forged, sealProblem: 'unsealed' } as const;
    assert.equal(withCheckedSeal(claims, TEST_SEAL).sealProblem, 'forged');
  });

  it('drops the approvals of a call if it is missing', () => {
    const { seal: _seal, ...old } = stored();
    const read = withCheckedSeal(old, TEST_SEAL);
    assert.deepEqual([read.sealProblem, read.votes], ['unsealed', []]);
    assert.ok(isIntact(read));
  });
});
