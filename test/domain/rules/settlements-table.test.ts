/** What each settlement changes of a call, and what rulings look at. */
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
    'a call that did not run, and is left',
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
    'a call that did not run, and is to',
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
  ['a settlement of what is known', settled(aCall(), 'ran', NOT), { kind: 'already-decided' }],
  [
    'a settlement by an old card',
    settled(unknown, 'ran', NOT, NOW, { attempt: 2 }),
    { kind: 'stale' },
  ],
];

for (const [title, actual, expected] of TABLE) {
  it(`${title} changes exactly this`, () => assert.deepEqual(actual, expected));
}

it('an edit is not ruled on without its arguments', () => {
  const call = aCall();
  const wish = { ...seen(call), by: REQUESTER, decision: edit };
  assert.throws(() => ruleDecision(call, wish, NOW, MAY, undefined), /with its parsed arguments/);
});

it('a look that may go on answers with the permission', () => {
  const call = aCall();
  const look = { ...seen(call), by: REQUESTER, kind: 'approve' } as const;
  assert.equal(checkDecidable(call, look, NOW, MAY), MAY);
  assert.deepEqual(checkDecidable(call, { ...look, attempt: 7 }, NOW, MAY), {
    kind: 'answer',
    outcome: { kind: 'stale', call },
  });
});

it('approvals are missing up to the quorum and never fewer than none', () => {
  assert.equal(missingApprovalCount(two), 2);
  assert.equal(missingApprovalCount(half), 1);
  const { route: _none, ...unasked } = aCall();
  assert.equal(missingApprovalCount(unasked), 1);
  const votes = [REQUESTER, APPROVER].map((by) => ({ by, at: 1 }));
  assert.equal(missingApprovalCount(aCall({ votes })), 0);
});

it('a call is overdue from its deadline on, while it waits', () => {
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

it('the end of a deadline tells the agent of an unknown call, and ends any other', () => {
  assert.deepEqual(changesOf(unknown, ruleExpiry(unknown, NOW)), {
    cause: 'expire',
    outcome: {
      kind: 'unknown',
      reason: 'it was interrupted while running, and nobody has reported what happened.',
    },
  });
  assert.deepEqual(changesOf(forged, stopForgedCall(forged, NOW)), BROKEN);
});

it('what runs as a child’s work can be withdrawn, and what runs itself can’t', () => {
  const child = childThreadKey(aCall().thread, aCall().id);
  const step = withdrawCall(aCall({ status: 'running', child }), 'new-message', NOW);
  assert.deepEqual(step?.call.outcome, { kind: 'withdrawn', cause: 'new-message' });
  assert.equal(step?.call.status, 'withdrawn');
  for (const call of [aCall({ status: 'running' }), unknown, aCall({ status: 'ignored' })]) {
    assert.equal(withdrawCall(call, 'new-message', NOW), undefined);
  }
});
