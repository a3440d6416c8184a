import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { WorkspaceMembership } from '../../../src/domain/people/profile.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  type ClaimFacts,
  type KnownApprovers,
  recordRunEnd,
  ruleClaim,
  ruleGateAnswer,
  ruleRecovery,
} from '../../../src/domain/rules/execution-rules.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import {
  APPROVER,
  aCall,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';

const NOW = 5_000;

function approved(patch: Partial<Call> = {}): Call {
  return aCall({ status: 'approved', votes: [{ by: REQUESTER, at: 2_000 }], ...patch });
}

/** All approvers are members, except those given; all groups are empty. */
function votersOf(
  call: Call,
  others: Readonly<Record<string, WorkspaceMembership>> = {},
): KnownApprovers {
  const memberships = call.votes.map(({ by }): [string, WorkspaceMembership] => [
    by.user,
    others[by.user] ?? 'member',
  ]);
  return { memberships: new Map(memberships), groups: new Map() };
}

function claim(call: Call, facts: Partial<ClaimFacts> = {}) {
  return ruleClaim(call, {
    now: NOW,
    fence: 7,
    gate: { kind: 'ask', route: call.route ?? REQUESTER_ROUTE },
    parsed: { ok: true, value: JSON.parse(call.args), canonical: call.args },
    voters: votersOf(call),
    ...facts,
  });
}

describe('the claim of an approved call', () => {
  it('is written with the worker’s fence before the tool starts', () => {
    const { call, cause } = claim(approved());
    assert.equal(cause, 'claim');
    assert.equal(call.status, 'running');
    assert.deepEqual(call.claim, { fence: 7, at: NOW });
  });

  it('stops if the stored arguments are not the approved ones', () => {
    const tampered = { ...approved(), args: '{"content":"x","path":"b"}' };
    const { call } = claim(tampered);
    assert.equal(call.status, 'failed');
    assert.match(plainSentence(call.note ?? ''), /integrity_error/);
  });

  it('expires at the deadline', () => {
    assert.equal(claim(approved({ deadlineAt: NOW })).call.status, 'expired');
  });

  it('is refused if the tool is gone or has changed, or the policy refuses now', () => {
    assert.equal(claim(approved(), { parsed: undefined }).call.status, 'refused');
    const other = { ok: true, value: {}, canonical: '{}' } as const;
    assert.equal(claim(approved(), { parsed: other }).call.status, 'refused');
    const problems = [{ path: [], message: 'no' }];
    assert.equal(claim(approved(), { parsed: { ok: false, problems } }).call.status, 'refused');
    const gate = { kind: 'refuse', reason: 'frozen' } as const;
    assert.deepEqual(claim(approved(), { gate }).call.outcome, {
      kind: 'refused',
      reason: 'frozen',
    });
  });

  it('goes back to pending if an approver may no longer approve, and keeps the others’ approvals', () => {
    const votes = [APPROVER, SECOND_APPROVER].map((by) => ({ by, at: 2_000 }));
    const call = approved({ route: TWO_APPROVERS, votes });
    const route = { ...TWO_APPROVERS, approvers: ['user:U2', 'user:U7'] } as const;
    const back = claim(call, { gate: { kind: 'ask', route } }).call;
    assert.equal(back.status, 'pending');
    assert.deepEqual(
      back.votes.map((vote) => vote.by),
      [APPROVER],
    );
    assert.deepEqual(back.route, route);
    assert.match(plainSentence(back.note ?? ''), /U3 \(no longer an approver of this call\)/);
  });

  it('goes back to pending and names the approver who was deactivated', () => {
    const votes = [APPROVER, SECOND_APPROVER].map((by) => ({ by, at: 2_000 }));
    const call = approved({ route: TWO_APPROVERS, votes });
    const back = claim(call, { voters: votersOf(call, { U2: 'gone' }) }).call;
    assert.equal(back.status, 'pending');
    assert.deepEqual(
      back.votes.map((vote) => vote.by),
      [SECOND_APPROVER],
    );
    assert.match(plainSentence(back.note ?? ''), /U2 \(deactivated\)\. Nothing was run/);
  });

  it('goes back to pending if an approver has left the group, and runs if enough others remain', () => {
    const route = { ...REQUESTER_ROUTE, approvers: ['usergroup:S1', 'requester'] } as const;
    const votes = [REQUESTER, APPROVER].map((by) => ({ by, at: 2_000 }));
    const call = approved({ route: { ...route, quorum: 2 }, votes });
    const inGroup = (...users: readonly string[]) => ({
      ...votersOf(call),
      groups: new Map([['usergroup:S1' as const, { members: new Set(users) }]]),
    });
    assert.equal(claim(call, { voters: inGroup('U2') }).call.status, 'running');
    const back = claim(call, { voters: inGroup('U3') }).call;
    assert.equal(back.status, 'pending');
    assert.equal(back.verdict, undefined);
    assert.match(plainSentence(back.note ?? ''), /U2 \(no longer an approver/);
    const enough = approved({ route: { ...route, quorum: 1 }, votes });
    assert.equal(claim(enough, { voters: inGroup('U3') }).call.status, 'running');
  });

  it('never runs if the approvers cannot be looked up: they are asked again', () => {
    const call = approved();
    const back = claim(call, { voters: undefined }).call;
    assert.equal(back.status, 'pending');
    assert.deepEqual(back.votes, []);
    assert.match(plainSentence(back.note ?? ''), /Slack could not confirm.*approve it again/);
  });

  it('does not check people if the policy says run now', () => {
    assert.equal(
      claim(approved(), { gate: { kind: 'run' }, voters: undefined }).call.status,
      'running',
    );
  });

  it('goes back to pending if it was approved by the policy, which now asks', () => {
    const { route: _none, deadlineAt: _never, ...rest } = approved({ votes: [] });
    const back = claim(rest, { gate: { kind: 'ask', route: REQUESTER_ROUTE } }).call;
    assert.equal(back.status, 'pending');
    assert.equal(back.deadlineAt, NOW + REQUESTER_ROUTE.deadlineMs);
  });
});

describe('a dead worker’s call', () => {
  const running = aCall({ status: 'running', claim: { fence: 7, at: 2_000 } });

  it('is unknown, with a route on which people can report what happened', () => {
    const { route: _none, ...unasked } = running;
    const { call } = ruleRecovery(unasked, NOW, 8);
    assert.equal(call.status, 'unknown');
    assert.deepEqual(call.route, REQUESTER_ROUTE);
  });

  it('runs again with the new fence if it is idempotent', () => {
    const { call } = ruleRecovery({ ...running, idempotent: true }, NOW, 8);
    assert.equal(call.status, 'running');
    assert.deepEqual(call.claim, { fence: 8, at: NOW });
    assert.equal(call.attempt, 1);
  });
});

describe('the gate’s answer and the end of a run', () => {
  it('give a proposed call one of three statuses', () => {
    const { route: _none, deadlineAt: _never, ...proposed } = aCall({ status: 'proposed' });
    assert.equal(ruleGateAnswer(proposed, { kind: 'run' }, NOW).call.status, 'approved');
    const pending = ruleGateAnswer(proposed, { kind: 'ask', route: TWO_APPROVERS }, NOW).call;
    assert.equal(pending.status, 'pending');
    assert.equal(pending.deadlineAt, NOW + TWO_APPROVERS.deadlineMs);
    const refused = ruleGateAnswer(proposed, { kind: 'refuse', reason: 'no' }, NOW).call;
    assert.deepEqual(refused.outcome, { kind: 'refused', reason: 'no' });
  });

  it('record success and failure', () => {
    const running = aCall({ status: 'running' });
    assert.equal(
      recordRunEnd(running, { kind: 'result', text: 'ok' }, NOW).call.status,
      'succeeded',
    );
    assert.equal(recordRunEnd(running, { kind: 'error', text: 'no' }, NOW).call.status, 'failed');
  });
});
