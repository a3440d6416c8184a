/** When routes change while a call is pending, nothing runs without enough valid approvals, and nothing is stuck. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand } from '../../../src/domain/calls/decision.ts';
import { cardDigest, shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { checkDecisionPermission } from '../../../src/domain/rules/decision-permission.ts';
import { ruleDecision } from '../../../src/domain/rules/decision-rules.ts';
import { ruleClaim } from '../../../src/domain/rules/execution-rules.ts';
import { ruleReroute } from '../../../src/domain/rules/reroute-rules.ts';
import { aCall } from '../../support/builders/a-call.ts';

const PEOPLE = ['U1', 'U2', 'U3', 'U4'].map((user) => ({ team: 'T1', user }));
const CREDENTIALS = { standing: 'member', groups: new Map() } as const;
const VOTERS = {
  memberships: new Map(PEOPLE.map(({ user }) => [user, 'member' as const])),
  groups: new Map(),
};

const aRoute: fc.Arbitrary<Route> = fc
  .record({
    approvers: fc.uniqueArray(fc.constantFrom('user:U1', 'user:U2', 'user:U3', 'user:U4'), {
      minLength: 1,
    }),
    quorum: fc.integer({ min: 1, max: 3 }),
    selfApproval: fc.boolean(),
    channel: fc.constantFrom(undefined, 'C7', 'C8'),
  })
  .map(({ approvers, channel, ...rest }) => ({
    ...REQUESTER_ROUTE,
    ...rest,
    approvers: approvers as Route['approvers'],
    ...(channel !== undefined && { channel }),
  }));

type Move =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'look' }
  | { readonly kind: 'press' | 'edit'; readonly who: number; readonly isOld: boolean };

const aMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('route' as const), route: aRoute }),
  fc.record({ kind: fc.constant('look' as const) }),
  fc.record({
    kind: fc.constantFrom('press' as const, 'edit' as const),
    who: fc.nat({ max: PEOPLE.length - 1 }),
    isOld: fc.boolean(),
  }),
);

const approves = (route: Route, call: Call, by: Person) => {
  const found = checkDecisionPermission(route, call.requester, by, 'approve', CREDENTIALS);
  return found.kind === 'allowed' && found.approves;
};

function validVotes(call: Call, route: Route): number {
  return call.votes.filter(({ by }) => approves(route, call, by)).length;
}

function decide(
  call: Call,
  shown: Call,
  by: Person,
  decision: DecisionCommand['decision'],
  now: number,
) {
  const { attempt, digest, id: callId } = shown;
  const bound = { callId, attempt, digest: shortDigest(digest), card: cardDigest(shown) };
  const command = { ...bound, by, decision };
  const permission = checkDecisionPermission(
    call.route ?? REQUESTER_ROUTE,
    call.requester,
    by,
    decision.kind,
    CREDENTIALS,
  );
  const canonical = `{"content":"${now}","path":"a.txt"}`;
  const parsed = { ok: true, value: {}, canonical } as const;
  return ruleDecision(call, command, now, permission, { parsed });
}

function follow(call: Call, route: Route, now: number): Call {
  return ruleReroute(call, { gate: { kind: 'ask', route }, now, voters: VOTERS })?.call ?? call;
}

/** A person who may approve finds a button that advances the call, on the newest card. */
function assertNotStuck(call: Call, route: Route, now: number): void {
  const able = PEOPLE.filter((person) => approves(route, call, person));
  if (able.length < route.quorum) return;
  let at = call;
  for (const person of able) {
    const ruling = decide(at, at, person, { kind: 'approve' }, now);
    if (ruling.kind !== 'steps') continue;
    at = ruling.steps.at(-1)?.call ?? at;
    if (at.status === 'approved') break;
  }
  assert.equal(at.status, 'approved', 'Those who may approve could not.');
  const claimed = claim(at, route, now);
  assert.equal(claimed.status, 'running', 'What enough people approved did not run.');
  if (validVotes(call, route) < route.quorum) return;
  const [first] = able;
  const single = first && decide(call, call, first, { kind: 'approve' }, now);
  const end = single?.kind === 'steps' ? single.steps.at(-1)?.call.status : undefined;
  assert.equal(end, 'approved', 'It had enough approvals, and a press did not run it.');
}

function claim(call: Call, route: Route, now: number): Call {
  const parsed = { ok: true, value: {}, canonical: call.args } as const;
  return ruleClaim(call, { now, fence: 1, gate: { kind: 'ask', route }, parsed, voters: VOTERS })
    .call;
}

test('no sequence of route changes, clicks and edits runs a call without enough valid approvals, or leaves it stuck', () => {
  fc.assert(
    fc.property(aRoute, fc.array(aMove, { maxLength: 25 }), (first, moves) => {
      let route = first;
      let now = 2_000;
      let call = aCall({ route, pendingSince: 1_000 });
      let shown = call;
      for (const move of moves) {
        now += 1;
        if (move.kind === 'route') route = move.route;
        else if (move.kind === 'look') {
          const before = call;
          call = follow(call, route, now);
          assert.equal(call.status, 'pending', 'A change decided.');
          assert.ok(call.votes.every((vote) => before.votes.includes(vote)));
        } else {
          const by = PEOPLE[move.who] ?? call.requester;
          const seen = move.isOld ? shown : call;
          const decision =
            move.kind === 'press'
              ? ({ kind: 'approve' } as const)
              : ({ kind: 'edit', args: {} } as const);
          const ruling = decide(call, seen, by, decision, now);
          if (ruling.kind === 'answer') continue;
          const next = ruling.steps.at(-1)?.call ?? call;
          if (next.status === 'approved') {
            assert.equal(cardDigest(seen), cardDigest(call), 'An old card approved.');
            const claimed = claim(next, route, now);
            if (claimed.status === 'running') {
              assert.ok(validVotes(next, route) >= route.quorum, 'Too few valid approvals ran it.');
              return;
            }
            call = claimed;
          } else call = next;
        }
        if (move.kind === 'look') {
          assertNotStuck(call, route, now);
          shown = call;
        }
      }
      assertNotStuck(follow(call, route, now + 1), route, now + 1);
    }),
    { numRuns: 2_000 },
  );
});
