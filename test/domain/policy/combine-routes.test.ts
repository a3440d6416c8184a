/** How admin routes change the policy's answers: they only make them stricter, for every answer and every route. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Group } from '../../../src/domain/people/person.ts';
import { combineGateAnswer, combineRoutes } from '../../../src/domain/policy/combine-routes.ts';
import {
  type Approver,
  type DecisionKind,
  type GateAnswer,
  REQUESTER_ROUTE,
  type Route,
} from '../../../src/domain/policy/route.ts';
import { checkDecisionPermission } from '../../../src/domain/rules/decision-permission.ts';

const TEAM = 'T1';
const PEOPLE = ['U1', 'U2', 'U3', 'U4'];
const GROUPS: readonly Group[] = ['usergroup:S1', 'usergroup:S2', 'channel:C1'];
const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reply', 'ignore'];
const STANDINGS = ['member', 'guest', 'stranger', 'bot', 'gone'] as const;

const approvers = fc.subarray<Approver>([
  'requester',
  ...PEOPLE.map((id) => `user:${id}` as const),
  ...GROUPS,
]);
const hours = fc.integer({ min: 1, max: 9 }).map((hour) => hour * 3_600_000);

function aRoute(name: string, depth: number): fc.Arbitrary<Route> {
  const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const next = depth > 0 ? some(aRoute(`${name}'`, depth - 1)) : fc.constant(undefined);
  return fc
    .record({
      approvers,
      quorum: fc.integer({ min: 1, max: 4 }),
      selfApproval: fc.boolean(),
      decisions: fc.subarray([...DECISIONS], { minLength: 1 }),
      deadlineMs: hours,
      channel: some(fc.constantFrom('C1', 'C2')),
      remindAfterMs: some(hours),
      afterMs: hours,
      to: next,
      requiresReason: fc.boolean(),
      allowsGuests: fc.boolean(),
    })
    .map(({ afterMs, channel, remindAfterMs, to, ...rest }) => ({
      name,
      ...rest,
      ...(channel !== undefined && { channel }),
      ...(remindAfterMs !== undefined && { remindAfterMs }),
      ...(to && { escalate: { afterMs, to } }),
    }));
}

const ruled: fc.Arbitrary<GateAnswer> = fc.oneof(
  fc.constant<GateAnswer>({ kind: 'run' }),
  fc.constant<GateAnswer>({ kind: 'refuse', reason: 'No.' }),
  aRoute('file', 2).map((route): GateAnswer => ({ kind: 'ask', route })),
  // A default that names a route of the file counts as a rule.
  aRoute('file', 1).map((route): GateAnswer => ({ kind: 'ask', route, isDefault: true })),
);
const slack = aRoute('slack', 1);
const world = fc.record({
  user: fc.constantFrom(...PEOPLE),
  standing: fc.constantFrom(...STANDINGS),
  requester: fc.constantFrom(...PEOPLE),
  groups: fc.tuple(...GROUPS.map(() => fc.subarray(PEOPLE))),
});

const STRICTNESS = { run: 0, ask: 1, refuse: 2 } as const;

/** The routes of a call, in the order of escalation. */
function stagesOf(route: Route): readonly Route[] {
  const stages = [route];
  for (let at = route.escalate?.to; at; at = at.escalate?.to) stages.push(at);
  return stages;
}

function may(
  route: Route,
  decision: DecisionKind,
  { groups, requester, standing, user }: typeof world extends fc.Arbitrary<infer T> ? T : never,
) {
  const members = groups.map((ids) => ({ members: new Set(ids) }));
  const known = {
    standing,
    groups: new Map(
      GROUPS.map((group, i) => [group, members[i] ?? { members: new Set<string>() }]),
    ),
  };
  const person = (id: string) => ({ team: TEAM, user: id });
  return checkDecisionPermission(route, person(requester), person(user), decision, known);
}

function askedOn(answer: GateAnswer): Route {
  assert.equal(answer.kind, 'ask');
  return answer.kind === 'ask' ? answer.route : REQUESTER_ROUTE;
}

describe('a route that is set in Slack', () => {
  it('never lets a call run that asked, and never allows one that was refused', () => {
    fc.assert(
      fc.property(fc.oneof(ruled, fc.constant(asDefault())), slack, (answer, route) => {
        const after = combineGateAnswer(answer, route);
        assert(STRICTNESS[after.kind] >= STRICTNESS[answer.kind], 'It is less strict.');
        assert.notEqual(after.kind, 'run');
      }),
    );
  });

  it('lets nobody decide who could not before, after any escalation', () => {
    fc.assert(
      fc.property(
        ruled,
        slack,
        fc.constantFrom(...DECISIONS),
        world,
        (answer, route, kind, who) => {
          if (answer.kind !== 'ask') return;
          const before = stagesOf(answer.route);
          const after = stagesOf(askedOn(combineGateAnswer(answer, route)));
          assert(after.length <= before.length, 'It goes on further than before.');
          for (const [i, stage] of after.entries()) {
            const now = may(stage, kind, who);
            if (now.kind !== 'allowed') continue;
            for (const needed of [before[i] ?? REQUESTER_ROUTE, route]) {
              const was = may(needed, kind, who);
              assert.equal(was.kind, 'allowed');
              assert(
                was.kind === 'allowed' && (was.approves || !now.approves),
                'It counts only now.',
              );
            }
          }
        },
      ),
      { numRuns: 2_000, endOnFailure: true },
    );
  });

  it('lets everybody decide who may decide on both routes', () => {
    fc.assert(
      fc.property(
        aRoute('file', 0),
        slack,
        fc.constantFrom(...DECISIONS),
        world,
        (file, route, kind, who) => {
          const isBoth = [file, route].every((each) => may(each, kind, who).kind === 'allowed');
          assert.equal(may(combineRoutes(file, route), kind, who).kind === 'allowed', isBoth);
        },
      ),
      { numRuns: 1_000, endOnFailure: true },
    );
  });

  it('needs at least as many approvals, a reason if one was needed, and no more time', () => {
    fc.assert(
      fc.property(aRoute('file', 2), slack, (file, route) => {
        for (const [i, stage] of stagesOf(combineRoutes(file, route)).entries()) {
          for (const needed of [stagesOf(file)[i] ?? file, route]) {
            assert(stage.quorum >= needed.quorum, 'The quorum shrank.');
            assert(stage.deadlineMs <= needed.deadlineMs, 'The deadline grew.');
            assert(stage.requiresReason || !needed.requiresReason, 'No reason is needed any more.');
          }
          assert((stage.remindAfterMs ?? 0) < stage.deadlineMs, 'The reminder never comes.');
          const was = stagesOf(file)[i]?.escalate;
          assert.equal(stage.escalate?.afterMs ?? was?.afterMs, was?.afterMs);
        }
        assert.equal(combineRoutes(file, route).channel, file.channel ?? route.channel);
      }),
    );
  });

  it('replaces confirmation by the requester if no rule matches the call', () => {
    fc.assert(
      fc.property(slack, (route) => {
        assert.deepEqual(askedOn(combineGateAnswer(asDefault(), route)), route);
        const ruledSo: GateAnswer = { kind: 'ask', route: REQUESTER_ROUTE };
        assert.notDeepEqual(askedOn(combineGateAnswer(ruledSo, route)), route);
      }),
    );
  });

  it('replaces the file’s answer if the file allows it, and still asks', () => {
    fc.assert(
      fc.property(ruled, slack, (answer, route) => {
        assert.deepEqual(askedOn(combineGateAnswer(answer, route, { mayLoosen: true })), route);
      }),
    );
  });

  it('combines times, channels and approvers of both', () => {
    const minute = 60_000;
    const to: Route = { ...REQUESTER_ROUTE, name: 'lead' };
    const file: Route = {
      ...REQUESTER_ROUTE,
      name: 'file',
      approvers: ['user:U1', 'user:U2'],
      deadlineMs: 10 * minute,
      remindAfterMs: 4 * minute,
      escalate: { afterMs: 6 * minute, to },
    };
    const own: Route = {
      ...REQUESTER_ROUTE,
      name: 'own',
      approvers: ['user:U1'],
      deadlineMs: 60 * minute,
      remindAfterMs: 3 * minute,
    };
    const both = combineRoutes(file, own);
    assert.equal(both.remindAfterMs, 3 * minute);
    assert.equal(
      combineRoutes(file, { ...own, remindAfterMs: 5 * minute }).remindAfterMs,
      4 * minute,
    );
    const { remindAfterMs: _one, ...unreminded } = file;
    const { remindAfterMs: _other, ...silent } = own;
    assert.equal(combineRoutes(unreminded, own).remindAfterMs, 3 * minute);
    assert.equal(combineRoutes(file, silent).remindAfterMs, 4 * minute);
    assert.ok(!('remindAfterMs' in combineRoutes(unreminded, silent)));
    assert.equal(both.escalate?.afterMs, 6 * minute);
    assert.equal(both.escalate?.to.name, 'lead + own');
    // A reminder or escalation at or after the deadline is dropped.
    const short = combineRoutes(file, { ...own, deadlineMs: 3 * minute });
    assert.ok(!('remindAfterMs' in short) && !('escalate' in short));
    assert.ok(!('escalate' in combineRoutes(own, file)));
    // If one list contains the other, only the smaller one is used.
    assert.deepEqual([both.approvers, both.among], [['user:U1'], undefined]);
    const turned = combineRoutes(own, file);
    assert.deepEqual([turned.approvers, turned.among], [['user:U1'], undefined]);
    const apart = combineRoutes(file, { ...own, approvers: ['user:U3'] });
    assert.deepEqual([apart.approvers, apart.among], [['user:U3'], ['user:U1', 'user:U2']]);
  });

  it('is named alone if there is no rule, without unknown fields', () => {
    const asked = combineGateAnswer({ kind: 'ask', route: REQUESTER_ROUTE }, REQUESTER_ROUTE);
    assert.deepEqual(Object.keys(asked).sort(), ['kind', 'route', 'rule']);
    assert.equal(asked.rule, 'the route “requester” set in Slack');
    const run = combineGateAnswer({ kind: 'run', policy: 'abc' }, REQUESTER_ROUTE);
    assert.deepEqual(run, {
      kind: 'ask',
      route: REQUESTER_ROUTE,
      policy: 'abc',
      rule: 'the route “requester” set in Slack',
    });
  });

  it('keeps the text for the card, and is named beside the rule', () => {
    const answer: GateAnswer = {
      kind: 'ask',
      route: { ...REQUESTER_ROUTE, name: 'ops' },
      risk: 'high',
      note: 'Look.',
      rule: 'rule 2, line 9',
      policy: 'abc',
    };
    const after = combineGateAnswer(answer, { ...REQUESTER_ROUTE, name: 'fin' });
    assert.deepEqual(after, {
      ...answer,
      route: { ...REQUESTER_ROUTE, name: 'ops + fin' },
      rule: 'rule 2, line 9, and the route “fin” set in Slack',
    });
  });
});

function asDefault(): GateAnswer {
  return { kind: 'ask', route: REQUESTER_ROUTE, isDefault: true };
}
