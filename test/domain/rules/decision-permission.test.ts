import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Group, Person } from '../../../src/domain/people/person.ts';
import type { WorkspaceMembership } from '../../../src/domain/people/profile.ts';
import {
  type Approver,
  type DecisionKind,
  REQUESTER_ROUTE,
  type Route,
} from '../../../src/domain/policy/route.ts';
import {
  type Credentials,
  checkDecisionPermission,
  groupsToLookUp,
  NO_GROUPS,
  type Permission,
} from '../../../src/domain/rules/decision-permission.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import {
  APPROVER,
  OUTSIDER,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';

const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reply', 'ignore'];

const MEMBER: Credentials = { standing: 'member', groups: NO_GROUPS };

function ask(
  route: Route,
  person: Person,
  decision: DecisionKind = 'approve',
  known: Partial<Credentials> = {},
): Permission {
  return checkDecisionPermission(route, REQUESTER, person, decision, { ...MEMBER, ...known });
}

function whyNot(...asked: Parameters<typeof ask>): string {
  const permission = ask(...asked);
  assert.notEqual(permission.kind, 'allowed');
  return permission.kind === 'allowed' ? '' : plainSentence(permission.why);
}

function groups(all: Readonly<Record<Group, readonly string[]>>) {
  const entries = Object.entries(all) as [Group, readonly string[]][];
  return new Map(entries.map(([group, users]) => [group, { members: new Set(users) }]));
}

test('on the built-in route the requester decides everything and nobody else anything', () => {
  for (const decision of DECISIONS) {
    assert.deepEqual(ask(REQUESTER_ROUTE, REQUESTER, decision), {
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

test('an empty list of approvers allows nobody', () => {
  const route = { ...REQUESTER_ROUTE, approvers: [] };
  for (const person of [REQUESTER, APPROVER])
    assert.match(whyNot(route, person), /nobody may decide/);
});

test('a decision that the route does not offer is allowed to nobody', () => {
  const route: Route = { ...REQUESTER_ROUTE, decisions: ['approve', 'ignore'] };
  assert.match(whyNot(route, REQUESTER, 'edit'), /does not allow “edit”/);
  assert.equal(ask(route, REQUESTER, 'ignore').kind, 'allowed');
});

test('without self-approval the requester may edit, but not approve, and does not count', () => {
  const route: Route = {
    ...REQUESTER_ROUTE,
    approvers: ['requester', 'user:U2'],
    selfApproval: false,
  };
  assert.match(whyNot(route, REQUESTER), /approve their own calls/);
  assert.deepEqual(ask(route, REQUESTER, 'edit'), {
    kind: 'allowed',
    approves: false,
  });
  assert.deepEqual(ask(route, APPROVER, 'edit'), { kind: 'allowed', approves: true });
});

test('a person who is refused is told who may decide', () => {
  assert.equal(whyNot(TWO_APPROVERS, OUTSIDER), 'Only U2, U3 may decide this call.');
});

test('a member of an approving group or channel may decide, and nobody else', () => {
  const approvers: readonly Approver[] = ['usergroup:S1', 'channel:C1'];
  const route: Route = { ...REQUESTER_ROUTE, approvers };
  const known = { groups: groups({ 'usergroup:S1': ['U2'], 'channel:C1': ['U3'] }) };
  for (const decision of DECISIONS) {
    assert.equal(ask(route, APPROVER, decision, known).kind, 'allowed');
    assert.equal(ask(route, SECOND_APPROVER, decision, known).kind, 'allowed');
    assert.equal(ask(route, OUTSIDER, decision, known).kind, 'not-allowed');
    assert.equal(ask(route, APPROVER, decision).kind, 'not-allowed');
  }
  const handles = new Map([
    ['usergroup:S1' as const, { members: new Set<string>(), handle: 'ops' }],
  ]);
  assert.equal(
    whyNot(route, OUTSIDER, 'approve', { groups: handles }),
    'Only @ops (usergroup:S1), channel:C1 may decide this call.',
  );
});

test('the requester cannot approve as a member of an approving group either', () => {
  const approvers: readonly Approver[] = ['usergroup:S1'];
  const route: Route = { ...REQUESTER_ROUTE, approvers, selfApproval: false };
  const known = { groups: groups({ 'usergroup:S1': ['U1', 'U2'] }) };
  assert.match(whyNot(route, REQUESTER, 'approve', known), /approve their own calls/);
  assert.deepEqual(ask(route, REQUESTER, 'edit', known), { kind: 'allowed', approves: false });
  assert.deepEqual(ask(route, APPROVER, 'edit', known), { kind: 'allowed', approves: true });
});

test('guests decide only if the route allows them; bots, strangers and deactivated people never do', () => {
  for (const standing of ['guest', 'stranger', 'bot', 'gone'] as const) {
    for (const decision of DECISIONS) {
      assert.equal(ask(REQUESTER_ROUTE, REQUESTER, decision, { standing }).kind, 'nobody');
    }
  }
  const open: Route = { ...TWO_APPROVERS, allowsGuests: true };
  assert.equal(ask(open, APPROVER, 'approve', { standing: 'guest' }).kind, 'allowed');
  assert.equal(ask(open, OUTSIDER, 'approve', { standing: 'guest' }).kind, 'not-allowed');
  for (const standing of ['stranger', 'bot', 'gone'] as const) {
    assert.equal(ask(open, APPROVER, 'approve', { standing }).kind, 'nobody');
  }
});

test('groups are looked up only if the answer depends on them', () => {
  const approvers: readonly Approver[] = ['usergroup:S1', 'user:U2', 'channel:C1', 'usergroup:S1'];
  const route: Route = { ...REQUESTER_ROUTE, approvers, decisions: ['approve'] };
  const asked = (person: Person, decision: DecisionKind = 'approve') =>
    groupsToLookUp(route, REQUESTER, person, decision);
  assert.deepEqual(asked(OUTSIDER), ['usergroup:S1', 'channel:C1']);
  assert.deepEqual(asked(APPROVER), []);
  assert.deepEqual(asked(OUTSIDER, 'edit'), []);
  assert.deepEqual(asked({ ...OUTSIDER, team: 'T2' }), []);
});

test('only an approver in good standing in the same workspace is allowed', () => {
  const team = fc.constantFrom('T1', 'T2');
  const user = fc.constantFrom('U1', 'U2', 'U3');
  const person = fc.record({ team, user });
  const members = fc.uniqueArray(user);
  const standing = fc.constantFrom<WorkspaceMembership>(
    'member',
    'guest',
    'stranger',
    'bot',
    'gone',
  );
  const route: fc.Arbitrary<Route> = fc.record({
    name: fc.constant('any'),
    approvers: fc.array(
      fc.constantFrom<Approver>(
        'requester',
        'user:U1',
        'user:U2',
        'user:U3',
        'usergroup:S1',
        'channel:C1',
      ),
    ),
    quorum: fc.integer({ min: 1, max: 3 }),
    selfApproval: fc.boolean(),
    allowsGuests: fc.boolean(),
    decisions: fc.subarray([...DECISIONS]),
    deadlineMs: fc.constant(1),
  });
  fc.assert(
    fc.property(
      fc.record({ route, asker: person, by: person, standing, group: members, channel: members }),
      fc.constantFrom(...DECISIONS),
      ({ route: on, asker, by, standing: is, group, channel }, decision) => {
        const isSelf = asker.team === by.team && asker.user === by.user;
        const isApprover =
          on.approvers.includes(`user:${by.user}`) ||
          (isSelf && on.approvers.includes('requester')) ||
          (on.approvers.includes('usergroup:S1') && group.includes(by.user)) ||
          (on.approvers.includes('channel:C1') && channel.includes(by.user));
        const isOurs = is === 'member' || (is === 'guest' && on.allowsGuests === true);
        const counts = !isSelf || on.selfApproval;
        const may =
          on.decisions.includes(decision) &&
          by.team === asker.team &&
          isOurs &&
          isApprover &&
          (decision !== 'approve' || counts);
        const known = { 'usergroup:S1': group, 'channel:C1': channel } as const;
        const facts = { standing: is, groups: groups(known) };
        const permission = checkDecisionPermission(on, asker, by, decision, facts);
        assert.equal(permission.kind === 'allowed', may);
        if (permission.kind === 'allowed') assert.equal(permission.approves, counts);
        else assert.notEqual(plainSentence(permission.why), '');
        // Groups that were not looked up change nothing.
        const asked = groupsToLookUp(on, asker, by, decision);
        const fewer = new Map([...facts.groups].filter(([each]) => asked.includes(each)));
        assert.deepEqual(
          checkDecisionPermission(on, asker, by, decision, { standing: is, groups: fewer }).kind,
          permission.kind,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});
