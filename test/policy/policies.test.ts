/** Which rule decides about a call. */
import { testPolicies, when } from './policy-table.ts';

const RUN_PAY = '  - { tools: [pay], gate: run }';
const REFUSE_PAY = '  - { tools: [pay], gate: refuse, reason: No. }';
const ASK_OPS = '  - { tools: [pay], gate: ask, route: ops }';

testPolicies({
  'which rule': [
    { what: 'a tool by its name', rules: RUN_PAY, says: 'run' },
    {
      what: 'a tool that no rule names',
      rules: RUN_PAY,
      facts: { tool: 'wire' },
      says: 'ask lead',
    },
    {
      what: 'a name is not a beginning',
      rules: RUN_PAY,
      facts: { tool: 'pay2' },
      says: 'ask lead',
    },
    { what: 'capitals count', rules: RUN_PAY, facts: { tool: 'Pay' }, says: 'ask lead' },
    { what: 'an empty name', rules: RUN_PAY, facts: { tool: '' }, says: 'ask lead' },
    { what: 'a beginning', rules: "  - { tools: ['p*'], gate: run }", says: 'run' },
    { what: 'an end', rules: "  - { tools: ['*ay'], gate: run }", says: 'run' },
    { what: 'a middle', rules: "  - { tools: ['p*y'], gate: run }", says: 'run' },
    { what: 'a star is also nothing', rules: "  - { tools: ['pay*'], gate: run }", says: 'run' },
    {
      what: 'a star that does not fit',
      rules: "  - { tools: ['pay_*'], gate: run }",
      says: 'ask lead',
    },
    {
      what: 'a catch-all',
      rules: "  - { tools: ['*'], gate: run }",
      facts: { tool: 'x' },
      says: 'run',
    },
    { what: 'one of several', rules: '  - { tools: [x, pay], gate: run }', says: 'run' },
    { what: 'the first that matches', rules: `${when('true')}\n${REFUSE_PAY}`, says: 'run' },
    {
      what: 'the next when a condition is false',
      rules: `${when('false')}\n${REFUSE_PAY}`,
      says: 'refuse',
    },
    {
      what: 'a rule of another tool is passed over',
      rules: `  - { tools: [x], gate: run }\n${ASK_OPS}`,
      says: 'ask ops',
    },
    { what: 'a rule with a route', rules: ASK_OPS, says: 'ask ops' },
    {
      what: 'a rule without a route asks on that of the default',
      rules: '  - { tools: [pay], gate: ask }',
      says: 'ask lead',
    },
    {
      what: 'the built-in route',
      rules: '  - { tools: [pay], gate: ask, route: requester }',
      says: 'ask requester',
    },
    { what: 'no rules', rules: '  []', says: 'ask lead' },
    {
      what: 'a default that refuses',
      rules: '  []',
      otherwise: '{ gate: refuse, reason: No. }',
      says: 'refuse',
    },
    {
      what: 'a default without a route asks the requester',
      rules: '  []',
      otherwise: '{ gate: ask }',
      says: 'ask requester',
    },
  ],
  'whose call': [
    {
      what: 'a helper’s call goes by the same rules',
      rules: RUN_PAY,
      facts: { agent: { kind: 'helper', name: 'research' } },
      says: 'run',
    },
    {
      what: 'a rule for a helper',
      rules: '  - { tools: [pay], agent: research, gate: run }',
      facts: { agent: { kind: 'helper', name: 'research' } },
      says: 'run',
    },
    {
      what: 'is not for the agent itself',
      rules: '  - { tools: [pay], agent: research, gate: run }',
      says: 'ask lead',
    },
    {
      what: 'nor for another helper',
      rules: '  - { tools: [pay], agent: research, gate: run }',
      facts: { agent: { kind: 'helper', name: 'worker' } },
      says: 'ask lead',
    },
    {
      what: 'several helpers',
      rules: '  - { tools: [pay], agent: [a, worker], gate: run }',
      facts: { agent: { kind: 'helper', name: 'worker' } },
      says: 'run',
    },
    {
      what: 'any helper',
      rules: "  - { tools: [pay], agent: '*', gate: run }",
      facts: { agent: { kind: 'helper', name: 'x' } },
      says: 'run',
    },
    {
      what: 'any helper is not the agent itself',
      rules: "  - { tools: [pay], agent: '*', gate: run }",
      says: 'ask lead',
    },
    { what: 'the agent itself by a condition', rules: when('agent == ""'), says: 'run' },
    {
      what: 'a helper by a condition',
      rules: when('agent == "worker"'),
      facts: { agent: { kind: 'helper', name: 'worker' } },
      says: 'run',
    },
  ],
  'a condition that can’t be answered': [
    {
      what: 'asks on the route of its rule',
      rules: `  - { tools: [pay], when: args.nope, gate: ask, route: ops }\n${RUN_PAY}`,
      says: 'ask ops !No such key: nope.',
    },
    {
      what: 'asks where it would have run',
      rules: when('args.nope'),
      says: 'ask lead !No such key: nope.',
    },
    {
      what: 'asks on its own route where it would have run',
      rules: '  - { tools: [pay], when: args.nope, gate: run, route: ops }',
      says: 'ask ops !No such key: nope.',
    },
    {
      what: 'refuses where it would have been refused',
      rules: '  - { tools: [pay], when: args.nope, gate: refuse, reason: No. }',
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'refuses, whatever onPolicyError says',
      top: 'onPolicyError: run',
      rules: '  - { tools: [pay], when: args.nope, gate: refuse, reason: No. }',
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'does not run where it would have run, whatever onPolicyError says',
      top: 'onPolicyError: run',
      rules: `${when('args.nope')}\n${RUN_PAY}`,
      says: 'ask lead !No such key: nope.',
    },
    {
      what: 'asks where a rule that would have run was in doubt before, whatever onPolicyError says',
      top: 'onPolicyError: run',
      rules: `${when('args.nope')}\n${when('args.nope', 'ask')}`,
      says: 'ask lead !No such key: nope.',
    },
    {
      what: 'refuses where a rule that would have run was in doubt before',
      rules: `${when('args.nope')}\n  - { tools: [pay], when: args.nope, gate: refuse, reason: No. }`,
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'is refused where the default refuses',
      rules: when('args.nope'),
      otherwise: '{ gate: refuse, reason: No. }',
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'leaves it to a later rule that asks others',
      rules: `${when('args.nope')}\n  - { tools: [pay], gate: ask, route: ops }`,
      says: 'ask ops !No such key: nope.',
    },
    {
      what: 'leaves it to a later rule that refuses',
      rules: `${when('args.nope')}\n  - { tools: [pay], gate: refuse, reason: No. }`,
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'lets no later rule run it: the default says who is asked',
      rules: `${when('args.nope')}\n${RUN_PAY}`,
      says: 'ask lead !No such key: nope.',
    },
    {
      what: 'lets no later rule run it where the default refuses',
      rules: `${when('args.nope')}\n${RUN_PAY}`,
      otherwise: '{ gate: refuse, reason: Never. }',
      says: 'refuse !No such key: nope.',
    },
    {
      what: 'does not matter when an earlier rule answers',
      rules: `  - { tools: ['p*'], when: 'true', gate: ask, route: ops }\n${when('args.nope')}`,
      says: 'ask ops',
    },
    {
      what: 'runs for those who want it',
      top: 'onPolicyError: run',
      rules: when('args.nope', 'ask'),
      says: 'run !No such key: nope.',
    },
    {
      what: 'does not make others run for those',
      top: 'onPolicyError: run',
      rules: when('args.amount > 1', 'ask'),
      says: 'ask lead',
    },
    {
      what: 'a pattern that would take for ever elsewhere',
      rules: when('args.to.matches("^(a+)+$")'),
      facts: { args: { to: `${'a'.repeat(60)}!` } },
      says: 'ask lead',
    },
    {
      what: 'a pattern that is none',
      rules: when('args.to.matches(args.to)'),
      facts: { args: { to: '(secret' } },
      says: 'ask lead !A string is not a valid regular expression.',
    },
    {
      what: 'loops in loops',
      rules: when('args.l.all(x, args.l.all(y, args.l.all(z, x + y + z >= 0)))'),
      facts: { args: { l: Array(2_000).fill(1) } },
      says: 'ask lead !It took longer than 40 ms.',
    },
    {
      what: 'a value that may be secret is not told',
      rules: when('bool(args.to)'),
      facts: { args: { to: 'hunter2' } },
      says: 'ask lead !A value can’t be read as true or false.',
    },
    {
      what: 'a key that may be secret is not told',
      rules: when('args[args.to] == 1'),
      facts: { args: { to: 'hunter2' } },
      says: 'ask lead !There is no such key or list index.',
    },
  ],
});
