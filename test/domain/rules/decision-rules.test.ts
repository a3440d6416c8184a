import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand } from '../../../src/domain/calls/decision.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { DecisionKind } from '../../../src/domain/policy/route.ts';
import {
  checkDecisionPermission,
  NO_GROUPS,
  type Permission,
} from '../../../src/domain/rules/decision-permission.ts';
import {
  type DecisionRuling,
  type Edited,
  ruleDecision,
  ruleSettlement,
  rulingRouteOf,
} from '../../../src/domain/rules/decision-rules.ts';
import { ruleExpiry, withdrawCall } from '../../../src/domain/rules/end-rules.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import {
  APPROVER,
  aCall,
  OUTSIDER,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';

const NOW = 5_000;
const EDITED = { parsed: { ok: true, value: { path: 'b' }, canonical: '{"path":"b"}' } } as const;

function command(
  call: Call,
  by: Person,
  decision: DecisionCommand['decision'] = { kind: 'approve' },
): DecisionCommand {
  const digest = shortDigest(call.digest);
  return { callId: call.id, attempt: call.attempt, digest, by, decision };
}

const MEMBER = { standing: 'member', groups: NO_GROUPS } as const;

function may(call: Call, by: Person, kind: DecisionKind): Permission {
  return checkDecisionPermission(rulingRouteOf(call), call.requester, by, kind, MEMBER);
}

function rule(
  call: Call,
  wish: DecisionCommand,
  now = NOW,
  edited: Edited = EDITED,
): DecisionRuling {
  return ruleDecision(call, wish, now, may(call, wish.by, wish.decision.kind), edited);
}

function decide(
  call: Call,
  by: Person,
  decision?: DecisionCommand['decision'],
  now = NOW,
): DecisionRuling {
  return rule(call, command(call, by, decision), now);
}

function lastCall(ruling: DecisionRuling): Call {
  assert.equal(ruling.kind, 'steps');
  const last = ruling.kind === 'steps' ? ruling.steps.at(-1) : undefined;
  assert.ok(last);
  return last.call;
}

function answerKind(ruling: DecisionRuling): string {
  return ruling.kind === 'answer' ? ruling.outcome.kind : `steps: ${lastCall(ruling).status}`;
}

describe('a decision', () => {
  it('of the requester approves their own call if the route allows it', () => {
    const call = lastCall(decide(aCall(), REQUESTER));
    assert.equal(call.status, 'approved');
    assert.deepEqual(call.votes, [{ by: REQUESTER, at: NOW }]);
    assert.deepEqual(call.verdict, { kind: 'approve', by: REQUESTER, at: NOW });
  });

  it('of anybody else is refused with a reason, whatever they decide', () => {
    for (const decision of [
      { kind: 'approve' },
      { kind: 'ignore' },
      { kind: 'reply', text: 'no' },
      { kind: 'edit', args: {} },
    ] as const) {
      assert.equal(answerKind(decide(aCall(), OUTSIDER, decision)), 'not-allowed');
    }
  });

  it('of a person from another workspace with the same user id is refused', () => {
    assert.equal(answerKind(decide(aCall(), { team: 'T2', user: 'U1' })), 'not-allowed');
  });

  it('on a route without approvers is refused for everybody', () => {
    const call = aCall({ route: { ...TWO_APPROVERS, approvers: [] } });
    for (const person of [REQUESTER, APPROVER]) {
      assert.equal(answerKind(decide(call, person)), 'not-allowed');
    }
  });

  it('that the route does not offer is refused', () => {
    const call = aCall({ route: { ...TWO_APPROVERS, decisions: ['approve'] } });
    assert.equal(answerKind(decide(call, APPROVER, { kind: 'ignore' })), 'not-allowed');
  });

  it('counts people and not clicks towards the quorum, and then approves', () => {
    const first = lastCall(decide(aCall({ route: TWO_APPROVERS }), APPROVER));
    assert.equal(first.status, 'pending');
    assert.equal(answerKind(decide(first, APPROVER)), 'already-voted');
    const second = lastCall(decide(first, SECOND_APPROVER));
    assert.equal(second.status, 'approved');
    assert.deepEqual(
      second.votes.map((vote) => vote.by),
      [APPROVER, SECOND_APPROVER],
    );
  });

  it('from a card of an earlier attempt changes nothing', () => {
    const call = aCall();
    const old = { ...command(call, REQUESTER), attempt: 1 };
    const edited = lastCall(
      decide(aCall({ route: TWO_APPROVERS }), APPROVER, { kind: 'edit', args: {} }),
    );
    assert.equal(answerKind(rule(edited, { ...old, by: APPROVER })), 'stale');
    const other = { ...command(call, REQUESTER), digest: '0000000000' };
    assert.equal(answerKind(rule(call, other)), 'stale');
  });

  it('after another decision is answered with that decision', () => {
    for (const status of [
      'approved',
      'running',
      'succeeded',
      'replied',
      'ignored',
      'expired',
    ] as const) {
      assert.equal(answerKind(decide(aCall({ status }), REQUESTER)), 'already-decided');
    }
  });

  it('at the deadline expires the call instead', () => {
    const call = aCall({ deadlineAt: NOW });
    assert.equal(lastCall(decide(call, REQUESTER)).status, 'expired');
    assert.equal(lastCall(decide(call, REQUESTER, undefined, NOW - 1)).status, 'approved');
  });

  it('on a call whose stored arguments were changed stops the call', () => {
    const call = { ...aCall(), args: '{"path":"/etc/passwd"}' };
    const stopped = lastCall(decide(call, REQUESTER));
    assert.equal(stopped.status, 'failed');
    assert.match(plainSentence(stopped.note ?? ''), /integrity_error/);
  });

  it('to reply without text is invalid; “0” and “null” are texts', () => {
    for (const text of ['', '  ', '\n']) {
      assert.equal(answerKind(decide(aCall(), REQUESTER, { kind: 'reply', text })), 'invalid');
    }
    for (const text of ['0', 'null', '{}', ' x ']) {
      const call = lastCall(decide(aCall(), REQUESTER, { kind: 'reply', text }));
      assert.deepEqual(call.outcome, { kind: 'reply', text, by: REQUESTER });
    }
  });

  it('to ignore ends the call as ignored', () => {
    const call = lastCall(decide(aCall(), REQUESTER, { kind: 'ignore' }));
    assert.equal(call.status, 'ignored');
    assert.deepEqual(call.outcome, { kind: 'ignored', by: REQUESTER });
  });
});

describe('an edit', () => {
  const edit = { kind: 'edit', args: {} } as const;

  it('approves nothing if it keeps a value that its editor was not shown', () => {
    const edited = lastCall(decide(aCall(), REQUESTER, { ...edit, keepsUnseen: true }));
    assert.deepEqual([edited.status, edited.attempt, edited.votes], ['pending', 2, []]);
    assert.deepEqual(edited.editedBy, REQUESTER);
  });

  it('makes the next attempt and counts as its editor’s approval', () => {
    const before = aCall();
    const after = lastCall(decide(before, REQUESTER, edit));
    assert.equal(after.attempt, 2);
    assert.equal(after.args, '{"path":"b"}');
    assert.equal(after.proposedArgs, before.args);
    assert.notEqual(after.digest, before.digest);
    assert.equal(after.digest, callDigestOf(after));
    assert.equal(after.status, 'approved');
    assert.equal(after.revision, before.revision + 2);
  });

  it('drops earlier approvals and needs the full quorum again', () => {
    const voted = lastCall(decide(aCall({ route: TWO_APPROVERS }), APPROVER));
    const edited = lastCall(decide(voted, SECOND_APPROVER, edit));
    assert.equal(edited.status, 'pending');
    assert.deepEqual(
      edited.votes.map((vote) => vote.by),
      [SECOND_APPROVER],
    );
  });

  it('of the requester never counts without self-approval', () => {
    const route = { ...TWO_APPROVERS, approvers: ['requester', 'user:U2'], quorum: 1 } as const;
    const edited = lastCall(decide(aCall({ route }), REQUESTER, edit));
    assert.equal(edited.status, 'pending');
    assert.deepEqual(edited.votes, []);
  });

  it('that the tool rejects changes nothing and names the field', () => {
    const problems = [{ path: ['path'], message: 'Required' }];
    const ruling = rule(aCall(), command(aCall(), REQUESTER, edit), NOW, {
      parsed: { ok: false, problems },
    });
    assert.ok(ruling.kind === 'answer' && ruling.outcome.kind === 'invalid');
    assert.deepEqual(ruling.outcome.problems, problems);
  });
});

describe('a call with an unknown outcome', () => {
  const unknown = aCall({ status: 'unknown', claim: { fence: 7, at: 2_000 } });
  const settle = (by: Person, finding: 'ran' | 'rerun' | 'leave') =>
    ruleSettlement(
      unknown,
      { callId: unknown.id, attempt: 1, digest: shortDigest(unknown.digest), by, finding },
      NOW,
      may(unknown, by, 'approve'),
    );

  it('is settled by the people who may decide it', () => {
    assert.equal(lastCall(settle(REQUESTER, 'ran')).status, 'succeeded');
    assert.equal(lastCall(settle(REQUESTER, 'leave')).status, 'failed');
    assert.equal(answerKind(settle(OUTSIDER, 'ran')), 'not-allowed');
  });

  it('runs again only as a new attempt that the click approves', () => {
    const again = lastCall(settle(REQUESTER, 'rerun'));
    assert.equal(again.status, 'approved');
    assert.equal(again.attempt, 2);
    assert.notEqual(again.digest, unknown.digest);
    assert.equal(again.claim, undefined);
  });

  it('can still be settled after its deadline told the agent', () => {
    const told = ruleExpiry(unknown, NOW).call;
    assert.equal(told.status, 'unknown');
    assert.equal(told.outcome?.kind, 'unknown');
  });
});

describe('withdrawing', () => {
  it('affects a call that has not started, and nothing else', () => {
    for (const status of ['proposed', 'pending', 'approved'] as const) {
      assert.equal(withdrawCall(aCall({ status }), 'stop', NOW)?.call.status, 'withdrawn');
    }
    for (const status of ['running', 'unknown', 'succeeded', 'withdrawn'] as const) {
      assert.equal(withdrawCall(aCall({ status }), 'stop', NOW), undefined);
    }
  });
});
