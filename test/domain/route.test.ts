import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Person } from '../../src/domain/person.ts';
import {
  type DecisionKind,
  defaultGate,
  permit,
  REQUESTER_ROUTE,
  type Route,
} from '../../src/domain/route.ts';
import { APPROVER, OUTSIDER, REQUESTER, THREAD, TWO_APPROVERS } from '../support/a-call.ts';

const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reply', 'ignore'];

function whyNot(route: Route, person: Person, decision: DecisionKind = 'approve'): string {
  const permission = permit(route, REQUESTER, person, decision);
  assert.equal(permission.kind, 'not-allowed');
  return permission.kind === 'not-allowed' ? permission.why : '';
}

test('on the built-in route the requester decides everything and nobody else anything', () => {
  for (const decision of DECISIONS) {
    assert.deepEqual(permit(REQUESTER_ROUTE, REQUESTER, REQUESTER, decision), {
      kind: 'allowed',
      approves: true,
    });
    assert.match(whyNot(REQUESTER_ROUTE, APPROVER, decision), /Only the person who asked/);
  }
});

test('the same user id in another workspace is another person', () => {
  const stranger = { ...REQUESTER, team: 'T2' };
  assert.match(whyNot(REQUESTER_ROUTE, stranger), /Only members of this workspace/);
  const twin = { ...APPROVER, team: 'T2' };
  assert.match(whyNot(TWO_APPROVERS, twin), /Only members of this workspace/);
});

test('an empty list of approvers is nobody', () => {
  const route = { ...REQUESTER_ROUTE, approvers: [] };
  for (const person of [REQUESTER, APPROVER])
    assert.match(whyNot(route, person), /nobody may decide/);
});

test('a decision that the route lacks is nobody’s', () => {
  const route: Route = { ...REQUESTER_ROUTE, decisions: ['approve', 'ignore'] };
  assert.match(whyNot(route, REQUESTER, 'edit'), /does not allow “edit”/);
  assert.equal(permit(route, REQUESTER, REQUESTER, 'ignore').kind, 'allowed');
});

test('without self-approval the requester edits, and neither approves nor counts', () => {
  const route: Route = {
    ...REQUESTER_ROUTE,
    approvers: ['requester', 'user:U2'],
    selfApproval: false,
  };
  assert.match(whyNot(route, REQUESTER), /approve their own calls/);
  assert.deepEqual(permit(route, REQUESTER, REQUESTER, 'edit'), {
    kind: 'allowed',
    approves: false,
  });
  assert.deepEqual(permit(route, REQUESTER, APPROVER, 'edit'), { kind: 'allowed', approves: true });
});

test('whoever is refused is told who may decide', () => {
  assert.equal(whyNot(TWO_APPROVERS, OUTSIDER), 'Only <@U2>, <@U3> may decide this call.');
});

test('nobody is allowed who is not an approver of the same workspace', () => {
  const team = fc.constantFrom('T1', 'T2');
  const user = fc.constantFrom('U1', 'U2', 'U3');
  const person = fc.record({ team, user });
  const route: fc.Arbitrary<Route> = fc.record({
    name: fc.constant('any'),
    approvers: fc.array(fc.constantFrom('requester', 'user:U1', 'user:U2', 'user:U3')),
    quorum: fc.integer({ min: 1, max: 3 }),
    selfApproval: fc.boolean(),
    decisions: fc.subarray([...DECISIONS]),
    deadlineMs: fc.constant(1),
  });
  fc.assert(
    fc.property(route, person, person, fc.constantFrom(...DECISIONS), (on, asker, by, decision) => {
      const isSelf = asker.team === by.team && asker.user === by.user;
      const isNamed = on.approvers.includes(`user:${by.user}`);
      const isApprover = isNamed || (isSelf && on.approvers.includes('requester'));
      const counts = !isSelf || on.selfApproval;
      const may =
        on.decisions.includes(decision) &&
        by.team === asker.team &&
        isApprover &&
        (decision !== 'approve' || counts);
      const permission = permit(on, asker, by, decision);
      assert.equal(permission.kind, may ? 'allowed' : 'not-allowed');
      if (permission.kind === 'allowed') assert.equal(permission.approves, counts);
      else assert.notEqual(permission.why, '');
    }),
  );
});

test('without a policy, reading runs and everything else asks the requester', () => {
  const place = { channel: 'C1', thread: THREAD };
  const facts = { args: {}, risk: 'low', requester: REQUESTER, ...place } as const;
  for (const tool of ['list_files', 'read_file', 'task']) {
    assert.deepEqual(defaultGate({ ...facts, tool }), { kind: 'run' });
  }
  for (const tool of ['write_file', 'run_command', 'search_web', 'fetch_url', 'Read_File', '']) {
    assert.deepEqual(defaultGate({ ...facts, tool }), { kind: 'ask', route: REQUESTER_ROUTE });
  }
});
