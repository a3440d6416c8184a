import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Call, type CallStatus, isTerminal } from '../../../src/domain/calls/call.ts';
import {
  assertStep,
  isTransition,
  type Step,
  stepFrom,
  type TransitionCause,
} from '../../../src/domain/calls/transitions.ts';
import { aCall } from '../../support/builders/a-call.ts';

/** The table of transitions, written a second time. */
const TABLE = `
  (none)    proposed   propose
  proposed  approved   gate
  proposed  pending    gate
  proposed  refused    gate
  proposed  withdrawn  withdraw
  pending   pending    vote
  pending   pending    edit
  pending   pending    recheck
  pending   pending    remind
  pending   pending    escalate
  pending   approved   approve
  pending   replied    reply
  pending   ignored    ignore
  pending   expired    expire
  pending   withdrawn  withdraw
  pending   refused    refuse
  pending   failed     integrity
  approved  running    claim
  approved  pending    recheck
  approved  expired    expire
  approved  withdrawn  withdraw
  approved  refused    refuse
  approved  failed     integrity
  running   succeeded  finish
  running   failed     finish
  running   failed     integrity
  unknown   failed     integrity
  running   running    recover
  running   unknown    recover
  running   unknown    abandon
  running   withdrawn  withdraw
  unknown   unknown    expire
  unknown   pending    rerun
  unknown   succeeded  settle
  unknown   failed     settle
`;

const STATUSES: readonly CallStatus[] = [
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
const CAUSES: readonly TransitionCause[] = [
  'propose',
  'gate',
  'vote',
  'remind',
  'escalate',
  'approve',
  'edit',
  'reply',
  'ignore',
  'expire',
  'withdraw',
  'claim',
  'recheck',
  'integrity',
  'refuse',
  'finish',
  'recover',
  'abandon',
  'rerun',
  'settle',
];

const listed = new Set(
  TABLE.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).join(' ')),
);

function attempted(before: Call, to: CallStatus, cause: TransitionCause): Step {
  const attempt = before.attempt + (cause === 'edit' || cause === 'rerun' ? 1 : 0);
  return { cause, call: { ...before, status: to, attempt, revision: before.revision + 1 } };
}

test('exactly the transitions of this table are allowed', () => {
  const found = new Set<string>();
  for (const from of [null, ...STATUSES]) {
    for (const to of STATUSES) {
      for (const cause of CAUSES) {
        if (isTransition(from, to, cause)) found.add(`${from ?? '(none)'} ${to} ${cause}`);
      }
    }
  }
  assert.deepEqual([...found].sort(), [...listed].sort());
});

test('a step passes if the table lists it, and throws otherwise', () => {
  for (const from of STATUSES) {
    const before = aCall({ status: from });
    for (const to of STATUSES) {
      for (const cause of CAUSES) {
        const edge = `${from} ${to} ${cause}`;
        const step = attempted(before, to, cause);
        if (listed.has(edge)) assert.doesNotThrow(() => assertStep(before, step), edge);
        else assert.throws(() => assertStep(before, step), /can't go from/, edge);
      }
    }
  }
});

test('a step belongs to its call: same id, next revision', () => {
  const before = aCall();
  const { call, cause } = attempted(before, 'approved', 'approve');
  for (const wrong of [{ id: 'call_other' }, { revision: before.revision }, { revision: 9 }]) {
    assert.throws(
      () => assertStep(before, { cause, call: { ...call, ...wrong } }),
      /does not follow/,
    );
  }
});

test('an edit and a rerun make the next attempt, no other step changes it', () => {
  for (const edge of listed) {
    const [from, to, cause] = edge.split(' ') as [CallStatus, CallStatus, TransitionCause];
    if (cause === 'propose') continue;
    const before = aCall({ status: from, attempt: 3 });
    const right = attempted(before, to, cause);
    for (const attempt of [1, 2, 3, 4, 5]) {
      const step = { cause, call: { ...right.call, attempt } };
      if (attempt === right.call.attempt) assert.doesNotThrow(() => assertStep(before, step), edge);
      else assert.throws(() => assertStep(before, step), /attempt/, `${edge} to ${attempt}`);
    }
  }
});

test('a new step increments the revision, sets the time and keeps the rest', () => {
  const before = aCall();
  const { call } = stepFrom(before, 'approve', 77, { status: 'approved', note: 'fine' });
  assert.deepEqual(call, {
    ...before,
    status: 'approved',
    note: 'fine',
    revision: before.revision + 1,
    updatedAt: 77,
  });
  assert.throws(() => stepFrom(before, 'finish', 77, { status: 'succeeded' }), /can't go from/);
});

test('no sequence of steps leaves a terminal status, and each one ends or can continue', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...STATUSES), fc.constantFrom(...CAUSES)), {
        minLength: 200,
        maxLength: 400,
      }),
      (wishes) => {
        let call = aCall({ status: 'proposed' });
        for (const [to, cause] of wishes) {
          const step = attempted(call, to, cause);
          const passes = listed.has(`${call.status} ${to} ${cause}`);
          if (isTerminal(call)) assert.equal(passes, false);
          if (passes) {
            assertStep(call, step);
            call = step.call;
          } else assert.throws(() => assertStep(call, step));
        }
      },
    ),
    { numRuns: 100 },
  );
  const ends = STATUSES.filter((status) => isTerminal(aCall({ status })));
  const left = [...listed].map((edge) => edge.split(' ')[0]);
  assert.deepEqual(
    STATUSES.filter((status) => !left.includes(status)),
    ends,
  );
});
