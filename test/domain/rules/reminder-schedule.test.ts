import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { ruleClaim } from '../../../src/domain/rules/execution-rules.ts';
import {
  escalateCall,
  escalationDueAt,
  missingApprovers,
  reachedRouteOf,
  recordReminder,
  reminderDueAt,
} from '../../../src/domain/rules/reminder-schedule.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';

const LEAD: Route = { ...REQUESTER_ROUTE, name: 'lead', approvers: ['user:U7'], deadlineMs: 500 };
const PATIENT: Route = {
  ...TWO_APPROVERS,
  remindAfterMs: 100,
  escalate: { afterMs: 300, to: LEAD },
};

const asked = (patch: Partial<Call> = {}) =>
  aCall({ route: PATIENT, pendingSince: 1_000, ...patch });

test('a pending call gets one reminder and one escalation', () => {
  assert.equal(reminderDueAt(asked()), 1_100);
  assert.equal(escalationDueAt(asked()), 1_300);
  const reminded = recordReminder(asked(), 1_150).call;
  assert.equal(reminderDueAt(reminded), undefined);
  assert.equal(escalationDueAt(reminded), 1_300);
});

test('an older call, a route without times and a decided call have no reminder or escalation', () => {
  const { pendingSince: _, ...older } = asked();
  for (const call of [older, asked({ route: LEAD }), asked({ status: 'approved' })]) {
    assert.equal(reminderDueAt(call), undefined);
    assert.equal(escalationDueAt(call), undefined);
  }
  assert.equal(escalateCall(asked({ route: LEAD }), 1), undefined);
});

test('an escalated call keeps its attempt, loses its approvals and gets a new deadline', () => {
  const call = asked({ votes: [{ by: APPROVER, at: 1_010 }], remindedAt: 1_100 });
  const after = escalateCall(call, 1_300)?.call;
  assert.ok(after);
  assert.equal(after.route?.name, 'lead');
  assert.deepEqual(after.votes, []);
  assert.equal(after.deadlineAt, 1_800);
  assert.equal(after.remindedAt, undefined);
  assert.deepEqual([after.attempt, after.digest], [call.attempt, call.digest]);
  assert.match(plainSentence(after.note ?? ''), /“two”.*“lead”/);
});

test('the policy is applied to the route that a call has escalated to, and only if it has escalated', () => {
  const call = escalateCall(asked(), 1_300)?.call;
  assert.ok(call);
  assert.equal(reachedRouteOf(call, PATIENT).name, 'lead');
  const stricter: Route = { ...PATIENT, escalate: { afterMs: 1, to: { ...LEAD, quorum: 3 } } };
  assert.equal(reachedRouteOf(call, stricter).quorum, 3);
  const other: Route = { ...PATIENT, name: 'other' };
  assert.equal(reachedRouteOf(call, other), other);
  assert.equal(
    reachedRouteOf(call, { ...PATIENT, escalate: { afterMs: 1, to: { ...LEAD, name: 'boss' } } })
      .name,
    'two',
  );
  assert.equal(reachedRouteOf(asked({ route: LEAD }), PATIENT), PATIENT);
});

test('people who are mentioned are the approvers who have not approved, and never a requester whose approval does not count', () => {
  const voted = asked({ votes: [{ by: APPROVER, at: 1_010 }] });
  assert.deepEqual(missingApprovers(voted).people, [{ team: 'T1', user: 'U3' }]);
  const mixed: Route = {
    ...PATIENT,
    approvers: ['requester', 'user:U1', 'usergroup:S1', 'channel:C9'],
  };
  assert.deepEqual(missingApprovers(asked({ route: mixed })), {
    people: [],
    groups: ['usergroup:S1', 'channel:C9'],
  });
  const own = asked({ route: { ...mixed, selfApproval: true } });
  assert.deepEqual(missingApprovers(own).people, [REQUESTER]);
});

test('reminder and escalation never come before the call was asked for', () => {
  const ms = fc.option(fc.nat(1e9), { nil: undefined });
  fc.assert(
    fc.property(fc.nat(1e9), ms, ms, (pendingSince, remindAfterMs, afterMs) => {
      const route: Route = {
        ...LEAD,
        ...(remindAfterMs !== undefined && { remindAfterMs }),
        ...(afterMs !== undefined && { escalate: { afterMs, to: LEAD } }),
      };
      const call = asked({ route, pendingSince });
      assert.equal(
        reminderDueAt(call),
        remindAfterMs === undefined ? undefined : pendingSince + remindAfterMs,
      );
      assert.equal(
        escalationDueAt(call),
        afterMs === undefined ? undefined : pendingSince + afterMs,
      );
    }),
  );
});

test('a call that the current policy asks on another route escalates from there, and its approvers can run it', () => {
  const third: Route = { ...PATIENT, name: 'third', quorum: 1 };
  const facts = { now: 1_400, fence: 1, gate: { kind: 'ask', route: third } } as const;
  function claim(call: Call, user: string) {
    const votes = [{ by: { team: 'T1', user }, at: 1_350 }];
    const voters = { memberships: new Map([[user, 'member' as const]]), groups: new Map() };
    const parsed = { ok: true, value: JSON.parse(call.args), canonical: call.args } as const;
    return ruleClaim({ ...call, status: 'approved', votes }, { ...facts, parsed, voters }).call;
  }
  const onLead = escalateCall(asked(), 1_300)?.call;
  assert.ok(onLead);
  const back = claim(onLead, 'U7');
  assert.deepEqual(
    [back.status, back.route?.name, back.escalatedFrom],
    ['pending', 'third', undefined],
  );
  const again = escalateCall(back, 1_450)?.call;
  assert.ok(again);
  assert.deepEqual([again.route?.name, again.escalatedFrom], ['lead', 'third']);
  assert.equal(claim(again, 'U7').status, 'running');
});
