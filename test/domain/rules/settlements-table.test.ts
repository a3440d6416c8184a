/** What each settlement changes in a call, and what rulings check. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  checkDecidable,
  missingApprovalCount,
  ruleDecision,
} from '../../../src/domain/rules/decision-rules.ts';
import {
  isOverdue,
  ruleExpiry,
  stopForgedCall,
  withdrawCall,
} from '../../../src/domain/rules/end-rules.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, aCall, REQUESTER } from '../../support/builders/a-call.ts';
import {
  BROKEN,
  CHANGED,
  changesOf,
  edit,
  forged,
  half,
  MAY,
  NOBODY,
  NOT,
  NOW,
  nextDigest,
  type Row,
  seen,
  settled,
  timeless,
  two,
  unknown,
  verdict,
  vote,
} from './ruling-table.ts';

const TABLE: readonly Row[] = [
  [
    'a call that ran',
    settled(unknown, 'ran'),
    [
      {
        cause: 'settle',
        status: 'succeeded',
        verdict: verdict('settle'),
        outcome: { kind: 'result', text: 'A person checked: it ran. Its own result was lost.' },
      },
    ],
  ],
  [
    'a call that did not run and will not',
    settled(unknown, 'leave'),
    [
      {
        cause: 'settle',
        status: 'failed',
        verdict: verdict('settle'),
        outcome: {
          kind: 'error',
          text: 'A person checked: it did not run, and it must not be run.',
        },
      },
    ],
  ],
  [
    'a call that did not run and runs again',
    settled({ ...unknown, outcome: { kind: 'unknown', reason: 'x' }, note: 'n' }, 'rerun'),
    [
      {
        cause: 'rerun',
        status: 'pending',
        attempt: 2,
        digest: nextDigest(unknown, { attempt: 2 }),
        claim: 'gone',
        outcome: 'gone',
        pendingSince: NOW,
        deadlineAt: NOW + REQUESTER_ROUTE.deadlineMs,
      },
      {
        cause: 'approve',
        status: 'approved',
        votes: [vote(REQUESTER)],
        verdict: verdict('settle'),
        note: 'gone',
      },
    ],
  ],
  [
    'a forged call that is to run again',
    settled({ ...unknown, args: '{}' }, 'rerun'),
    [
      {
        ...BROKEN,
        note: 'integrity_error: the stored arguments differ from those that were shown. It was not run again.',
        outcome: {
          kind: 'error',
          text: `It is not known whether this ran; it was not run again, since ${CHANGED}`,
        },
      },
    ],
  ],
  [
    'a settlement of nobody',
    settled(unknown, 'ran', NOBODY),
    { kind: 'not-allowed', why: 'Nobody here.' },
  ],
  [
    'a settlement of the wrong person',
    settled(unknown, 'ran', NOT),
    { kind: 'not-allowed', why: 'Not you.' },
  ],
  [
    'a settlement of a call with a known outcome',
    settled(aCall(), 'ran', NOT),
    { kind: 'already-decided' },
  ],
  [
    'a settlement from an old card',
    settled(unknown, 'ran', NOT, NOW, { attempt: 2 }),
    { kind: 'stale' },
  ],
];

for (const [title, actual, expected] of TABLE) {
  it(`${title} changes exactly this`, () => assert.deepEqual(actual, expected));
}

it('a ruling on an edit requires its parsed arguments', () => {
  const call = aCall();
  const command = { ...seen(call), by: REQUESTER, decision: edit };
  assert.throws(
    () => ruleDecision(call, command, NOW, MAY, undefined),
    /with its parsed arguments/,
  );
});

it('a check that passes returns the permission', () => {
  const call = aCall();
  const check = { ...seen(call), by: REQUESTER, kind: 'approve' } as const;
  assert.equal(checkDecidable(call, check, NOW, MAY), MAY);
  assert.deepEqual(checkDecidable(call, { ...check, attempt: 7 }, NOW, MAY), {
    kind: 'answer',
    outcome: { kind: 'stale', call },
  });
});

it('the number of missing approvals is the rest of the quorum, and never negative', () => {
  assert.equal(missingApprovalCount(two), 2);
  assert.equal(missingApprovalCount(half), 1);
  const { route: _none, ...unasked } = aCall();
  assert.equal(missingApprovalCount(unasked), 1);
  const votes = [REQUESTER, APPROVER].map((by) => ({ by, at: 1 }));
  assert.equal(missingApprovalCount(aCall({ votes })), 0);
});

it('a pending or approved call is overdue from its deadline on', () => {
  for (const [status, isWaiting] of [
    ['pending', true],
    ['approved', true],
    ['running', false],
    ['unknown', false],
    ['succeeded', false],
  ] as const) {
    assert.equal(isOverdue(aCall({ status, deadlineAt: NOW }), NOW), isWaiting);
    assert.equal(isOverdue(aCall({ status, deadlineAt: NOW + 1 }), NOW), false);
    assert.equal(isOverdue({ ...timeless, status }, NOW), false);
  }
});

it('a passed deadline tells the agent about an unknown call, and a forged call is stopped', () => {
  assert.deepEqual(changesOf(unknown, ruleExpiry(unknown, NOW)), {
    cause: 'expire',
    outcome: {
      kind: 'unknown',
      reason: 'it was interrupted while running, and nobody has reported what happened.',
    },
  });
  assert.deepEqual(changesOf(forged, stopForgedCall(forged, NOW)), BROKEN);
});

it('a call that runs as a child thread can be withdrawn, and one that runs itself cannot', () => {
  const child = childThreadKey(aCall().thread, aCall().id);
  const step = withdrawCall(aCall({ status: 'running', child }), 'new-message', NOW);
  assert.deepEqual(step?.call.outcome, { kind: 'withdrawn', cause: 'new-message' });
  assert.equal(step?.call.status, 'withdrawn');
  for (const call of [aCall({ status: 'running' }), unknown, aCall({ status: 'ignored' })]) {
    assert.equal(withdrawCall(call, 'new-message', NOW), undefined);
  }
});
