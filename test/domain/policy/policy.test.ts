import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Condition,
  type ConditionLookups,
  evaluatePolicy,
  type Policy,
  type PolicyRuling,
  type Rule,
  toGateAnswer,
  withRoutes,
} from '../../../src/domain/policy/policy.ts';
import { type GateFacts, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { matchesGlob } from '../../../src/domain/text/glob.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';

const OUTSIDE: ConditionLookups = {
  emailOf: async () => '',
  groupsOf: async () => [],
  earlierArgs: async () => [],
};

type Behaviour = 'none' | 'true' | 'false' | 'throws' | 'odd';

const CONDITIONS: Readonly<Record<Exclude<Behaviour, 'none'>, Condition>> = {
  true: async () => true,
  false: async () => false,
  throws: async () => {
    throw new Error('It broke.');
  },
  odd: async () => 'yes' as unknown as boolean,
};

const ruling: fc.Arbitrary<PolicyRuling<string>> = fc.constantFrom<PolicyRuling<string>>(
  { gate: 'run' },
  { gate: 'ask', route: 'a', risk: 'high' },
  { gate: 'ask', route: 'b' },
  { gate: 'refuse', reason: 'No.' },
);

interface RuleSketch {
  readonly tool: string;
  readonly agent: string | undefined;
  readonly behaves: Behaviour;
  readonly ruling: PolicyRuling<string>;
}

const sketch: fc.Arbitrary<RuleSketch> = fc.record({
  tool: fc.constantFrom('pay', 'p*', '*', 'read', '*y'),
  agent: fc.constantFrom(undefined, 'research', '*'),
  behaves: fc.constantFrom<Behaviour>('none', 'true', 'false', 'throws', 'odd'),
  ruling,
});

const facts: fc.Arbitrary<GateFacts> = fc
  .record({
    tool: fc.constantFrom('pay', 'read', 'fly', 'x'),
    agent: fc.constantFrom(undefined, 'research', 'worker'),
  })
  .map(({ agent, tool }) => ({
    tool,
    args: {},
    risk: 'low',
    requester: REQUESTER,
    channel: 'C1',
    thread: THREAD,
    ...(agent !== undefined && { agent: { kind: 'helper' as const, name: agent } }),
  }));

function toRule({ agent, behaves, ruling: says, tool }: RuleSketch, index: number): Rule<string> {
  return {
    name: `rule ${index}`,
    tools: [tool],
    ...(agent !== undefined && { agents: [{ text: agent, glob: agent, kind: 'helper' as const }] }),
    ...(behaves !== 'none' && { condition: CONDITIONS[behaves] }),
    ruling: says,
    errorRoute: `error ${index}`,
  };
}

const FALLBACK = { name: 'the default', ruling: { gate: 'ask', route: 'default' } } as const;

function toPolicy(sketches: readonly RuleSketch[], onError: 'ask' | 'run' = 'ask'): Policy<string> {
  return { onError, rules: sketches.map(toRule), fallback: FALLBACK };
}

const isAbout = (rule: RuleSketch, { agent, tool }: GateFacts): boolean =>
  matchesGlob(rule.tool, tool) &&
  (rule.agent === undefined || (agent !== undefined && matchesGlob(rule.agent, agent.name)));

describe('a policy with generated rules', () => {
  it('answers by the first matching rule whose condition is not false, or by its default', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sketch, { maxLength: 6 }), facts, async (sketches, of) => {
        const said = await evaluatePolicy(toPolicy(sketches), of, OUTSIDE);
        const first = sketches.findIndex((rule) => isAbout(rule, of) && rule.behaves !== 'false');
        const rule = sketches[first];
        assert.equal(said.rule, rule ? `rule ${first}` : 'the default');
        assert.equal(said.passedOver.length, rule ? first : sketches.length);
        if (!rule) assert.deepEqual(said.ruling, FALLBACK.ruling);
        else if (rule.behaves === 'none' || rule.behaves === 'true') {
          assert.deepEqual(said.ruling, rule.ruling);
          assert.equal(said.failure, undefined);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('never runs a call if every condition fails: the first rule that does not run decides', async () => {
    const failing = sketch.map((each) => ({ ...each, behaves: 'throws' as const }));
    const odd = sketch.map((each) => ({ ...each, behaves: 'odd' as const }));
    const onError = fc.constantFrom('ask' as const, 'run' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(failing, odd), { minLength: 1, maxLength: 6 }),
        facts,
        fc.boolean(),
        onError,
        async (sketches, of, hasErrorRoutes, runs) => {
          const policy = toPolicy(sketches, runs);
          const rules = policy.rules.map(({ errorRoute, ...rule }) =>
            hasErrorRoutes && rule.ruling.gate === 'run' ? { ...rule, errorRoute } : rule,
          ) as readonly Rule<string>[];
          const said = await evaluatePolicy({ ...policy, rules }, of, OUTSIDE);
          const about = sketches.filter((rule) => isAbout(rule, of));
          const stops = hasErrorRoutes ? about : about.filter((rule) => rule.ruling.gate !== 'run');
          const [first] = stops;
          const isAsk = first?.ruling.gate === 'ask';
          if (!first) assert.deepEqual(said.ruling, FALLBACK.ruling);
          else if (first.ruling.gate === 'run') {
            assert.deepEqual(said.ruling, {
              gate: 'ask',
              route: `error ${sketches.indexOf(first)}`,
            });
          } else if (isAsk && runs === 'run' && about[0] === first) {
            assert.deepEqual(said.ruling, { gate: 'run' });
          } else assert.deepEqual(said.ruling, first.ruling);
          assert.equal(said.failure !== undefined, about.length > 0);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('runs a call with a failed condition only if the rule asks and the policy says run, and reports the failure', async () => {
    const of: GateFacts = {
      tool: 'pay',
      args: {},
      risk: 'low',
      requester: REQUESTER,
      channel: 'C1',
      thread: THREAD,
    };
    const rule = { tool: 'pay', agent: undefined, behaves: 'throws' } as const;
    const asking = { ...rule, ruling: { gate: 'ask', route: 'a' } } as const;
    assert.deepEqual(await evaluatePolicy(toPolicy([asking], 'run'), of, OUTSIDE), {
      rule: 'rule 0',
      ruling: { gate: 'run' },
      failure: 'It broke.',
      passedOver: [],
    });
    const refusing = { ...rule, ruling: { gate: 'refuse', reason: 'No.' } } as const;
    const refused = await evaluatePolicy(toPolicy([refusing], 'run'), of, OUTSIDE);
    assert.deepEqual([refused.ruling, refused.failure], [refusing.ruling, 'It broke.']);
  });

  it('says why each earlier rule did not match', async () => {
    const run = { gate: 'run' } as const;
    const rules: readonly RuleSketch[] = [
      { tool: 'read', agent: undefined, behaves: 'none', ruling: run },
      { tool: 'pay', agent: 'research', behaves: 'none', ruling: run },
      { tool: 'pay', agent: undefined, behaves: 'false', ruling: run },
    ];
    const of: GateFacts = {
      tool: 'pay',
      args: {},
      risk: 'low',
      requester: REQUESTER,
      channel: 'C1',
      thread: THREAD,
    };
    const { passedOver } = await evaluatePolicy(toPolicy(rules), of, OUTSIDE);
    assert.deepEqual(passedOver, [
      { rule: 'rule 0', why: 'tool' },
      { rule: 'rule 1', why: 'agent' },
      { rule: 'rule 2', why: 'condition' },
    ]);
  });
});

it('the gate’s answer has the rule, the policy, the rule’s risk and the failure', () => {
  const route = { ...REQUESTER_ROUTE, name: 'ops' };
  const evaluation = { rule: 'rule 1, line 2', passedOver: [] };
  const source = { rule: 'rule 1, line 2', policy: 'hash' };
  assert.deepEqual(toGateAnswer({ ...evaluation, ruling: { gate: 'run' } }, 'hash'), {
    kind: 'run',
    ...source,
  });
  assert.deepEqual(
    toGateAnswer({ ...evaluation, ruling: { gate: 'refuse', reason: 'No.' } }, 'hash'),
    { kind: 'refuse', reason: 'No.', ...source },
  );
  const asking = { gate: 'ask', route, risk: 'high' } as const;
  assert.deepEqual(toGateAnswer({ ...evaluation, ruling: asking, failure: 'It broke.' }, 'hash'), {
    kind: 'ask',
    route,
    risk: 'high',
    note: 'The policy’s condition could not be evaluated (rule 1, line 2): It broke. So people are asked.',
    isInDoubt: true,
    ...source,
  });
  assert.deepEqual(toGateAnswer({ ...evaluation, ruling: { gate: 'ask', route } }, 'hash'), {
    kind: 'ask',
    route,
    ...source,
  });
});

it('routes replace their names everywhere', () => {
  const policy = toPolicy([
    {
      tool: 'pay',
      agent: undefined,
      behaves: 'none',
      ruling: { gate: 'ask', route: 'a', risk: 'high' },
    },
    { tool: 'x', agent: undefined, behaves: 'none', ruling: { gate: 'run' } },
  ]);
  const settled = withRoutes(policy, (name) => name.toUpperCase());
  assert.deepEqual(
    settled.rules.map(({ errorRoute, ruling: says }) => [errorRoute, says]),
    [
      ['ERROR 0', { gate: 'ask', route: 'A', risk: 'high' }],
      ['ERROR 1', { gate: 'run' }],
    ],
  );
  assert.deepEqual(settled.fallback.ruling, { gate: 'ask', route: 'DEFAULT' });
  const refusing = {
    ...policy,
    fallback: { name: 'd', ruling: { gate: 'refuse', reason: 'No.' } as const },
  };
  assert.deepEqual(withRoutes(refusing, String).fallback, refusing.fallback);
});
