/** Approvers who have to be on two lists: the policy file's, and that of a route set in Slack. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Group } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import {
  approverCandidatesOf,
  toApproverAvailability,
} from '../../../src/domain/rules/approver-availability.ts';
import {
  checkDecisionPermission,
  groupsToLookUp,
} from '../../../src/domain/rules/decision-permission.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import {
  APPROVER,
  aCall,
  OUTSIDER,
  REQUESTER,
  SECOND_APPROVER,
} from '../../support/builders/a-call.ts';

const OPS: Group = 'usergroup:S0OPS';
const ROUTE: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops + fin',
  approvers: [`user:${APPROVER.user}`, `user:${SECOND_APPROVER.user}`],
  among: [OPS],
  quorum: 2,
  selfApproval: false,
};
const groups = new Map([
  [OPS, { members: new Set([APPROVER.user, OUTSIDER.user]), handle: 'ops' }],
]);
const known = { standing: 'member', groups } as const;

describe('approvers who have to be on two lists', () => {
  it('are looked up in the groups of both', () => {
    assert.deepEqual(groupsToLookUp(ROUTE, REQUESTER, APPROVER, 'approve'), [OPS]);
    const isNamed = { ...ROUTE, among: [`user:${APPROVER.user}`] } as const;
    assert.deepEqual(groupsToLookUp(isNamed, REQUESTER, APPROVER, 'approve'), []);
  });

  it('may decide; a person on only one list is told who may', () => {
    assert.equal(
      checkDecisionPermission(ROUTE, REQUESTER, APPROVER, 'approve', known).kind,
      'allowed',
    );
    for (const person of [SECOND_APPROVER, OUTSIDER]) {
      const said = checkDecisionPermission(ROUTE, REQUESTER, person, 'approve', known);
      assert.equal(said.kind, 'not-allowed');
      assert.equal(
        said.kind === 'not-allowed' && plainSentence(said.why),
        `Only people who are among ${APPROVER.user}, ${SECOND_APPROVER.user} and also among @ops (${OPS}) may decide this call.`,
      );
    }
  });

  it('are the people that a card waits for, and too few of them are reported', () => {
    const call = aCall({ status: 'pending', route: ROUTE });
    assert.deepEqual(approverCandidatesOf(call, groups), [APPROVER.user]);
    const member = { standing: 'member', isAdmin: false } as const;
    const profiles = new Map([APPROVER, SECOND_APPROVER].map(({ user }) => [user, member]));
    const { awaited, gap, unable } = toApproverAvailability(call, { profiles, groups });
    assert.equal(awaited.map(plainSentence).join(), APPROVER.user);
    assert.match(unable.map(plainSentence).join(), /not named in the policy/);
    assert.match(plainSentence(gap ?? ''), /it needs 2 approvals and only 1 person may give one/);
  });
});
