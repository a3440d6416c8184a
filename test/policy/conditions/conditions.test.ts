/** What conditions can express. */
import { THREAD } from '../../support/builders/a-call.ts';
import { AWAY, testPolicies, when } from '../policy-table.ts';

testPolicies({
  numbers: [
    { what: 'greater', rules: when('args.amount > 99'), says: 'run' },
    { what: 'not greater than itself', rules: when('args.amount > 100'), says: 'ask lead' },
    { what: 'at least', rules: when('args.amount >= 100'), says: 'run' },
    {
      what: 'a fraction against a whole number',
      rules: when('args.amount > 10'),
      facts: { args: { amount: 10.5 } },
      says: 'run',
    },
    { what: 'a whole number against a fraction', rules: when('args.amount > 99.5'), says: 'run' },
    { what: 'equal', rules: when('args.amount == 100'), says: 'run' },
    { what: 'in a list', rules: when('args.amount in [1, 100]'), says: 'run' },
    {
      what: 'calculated with a whole number',
      rules: when('args.amount * 2 + 1 == 201'),
      says: 'run',
    },
    { what: 'calculated from the left', rules: when('1 + args.amount == 101'), says: 'run' },
    { what: 'divided', rules: when('args.amount / 8 == 12.5'), says: 'run' },
    { what: 'a rest', rules: when('args.amount % 7 == 2'), says: 'run' },
    {
      what: 'a text is no number',
      rules: when('args.to > 5'),
      says: /^ask lead !no such overload/,
    },
    {
      what: 'nothing is no number',
      rules: when('args.nothing > 5'),
      says: /^ask lead !no such overload/,
    },
    {
      what: 'a large one',
      rules: when('args.amount > 10000'),
      facts: { args: { amount: 9007199254740991 } },
      says: 'run',
    },
  ],
  arguments: [
    { what: 'a text', rules: when('args.to == "bob"'), says: 'run' },
    { what: 'a beginning of a text', rules: when('args.to.startsWith("bo")'), says: 'run' },
    { what: 'a pattern', rules: when('args.to.matches("^b.b$")'), says: 'run' },
    { what: 'nested', rules: when('args.deep.on'), says: 'run' },
    { what: 'a list', rules: when('args.list.all(x, x > 0) && size(args.list) == 3'), says: 'run' },
    { what: 'something in a list', rules: when('args.list.exists(x, x == 2)'), says: 'run' },
    { what: 'null', rules: when('args.nothing == null'), says: 'run' },
    { what: 'a missing one', rules: when('args.nope == 1'), says: 'ask lead !No such key: nope.' },
    {
      what: 'a missing one that is asked for first',
      rules: when('has(args.nope) && args.nope == 1'),
      says: 'ask lead',
    },
    { what: 'nothing of JavaScript', rules: when('args.constructor != null'), says: /No such key/ },
    {
      what: 'arguments that are no object',
      rules: when('args.amount > 1'),
      facts: { args: 'text' },
      says: /^ask lead !No such key/,
    },
    {
      what: 'a value that is neither true nor false',
      rules: when('args.to'),
      says: 'ask lead !It is neither true nor false.',
    },
  ],
  'where and who': [
    {
      what: 'the tool',
      rules: "  - { tools: ['*'], when: 'tool == \"pay\"', gate: run }",
      says: 'run',
    },
    { what: 'the channel', rules: when('channel == "C1"'), says: 'run' },
    { what: 'another channel', rules: when('channel == "C2"'), says: 'ask lead' },
    { what: 'the thread', rules: when(`thread == "${THREAD}"`), says: 'run' },
    {
      what: 'a helper’s thread is that of the people',
      rules: when(`thread == "${THREAD}"`),
      facts: { thread: `${THREAD}/call_x` as typeof THREAD },
      says: 'run',
    },
    {
      what: 'the requester',
      rules: when('requester.id == "U1" && requester.team == "T1"'),
      says: 'run',
    },
    {
      what: 'their e-mail address',
      rules: when('requester.email.endsWith("@example.test")'),
      says: 'run',
    },
    { what: 'their groups', rules: when('"S0OPS" in requester.groups'), says: 'run' },
    {
      what: 'a group that they are not in',
      rules: when('"S0NO" in requester.groups'),
      says: 'ask lead',
    },
    {
      what: 'both of Slack',
      rules: when('requester.email != "" && size(requester.groups) == 2'),
      says: 'run',
    },
    {
      what: 'an address that Slack does not tell',
      rules: when('requester.email == "x"'),
      outside: AWAY,
      says: 'ask lead !Slack is away.',
    },
    {
      what: 'what does not hang on Slack holds without it',
      rules: when('requester.email == "x" || true'),
      outside: AWAY,
      says: 'run',
    },
  ],
  totals: [
    {
      what: 'this call and the earlier ones',
      rules: when('spent("amount", "1h") == 140'),
      says: 'run',
    },
    { what: 'a longer window', rules: when('spent("amount", "24h") > 142'), says: 'run' },
    {
      what: 'a field in a field',
      rules: when('spent("order.sum", "1h") > 1'),
      says: /^ask lead !“order\.sum” is missing in this call\./,
    },
    {
      what: 'a field that an earlier call lacks',
      rules: when('spent("order.sum", "1h") > 1'),
      facts: { args: { order: { sum: 1 } } },
      says: 'ask lead !“order.sum” is missing in an earlier call.',
    },
    {
      what: 'a field that is no number',
      rules: when('spent("to", "1h") > 1'),
      says: 'ask lead !“to” is not a number in this call.',
    },
    {
      what: 'a field below zero makes no room',
      rules: when('spent("amount", "1h") < 100'),
      facts: { args: { amount: -1000 } },
      says: 'ask lead !“amount” is negative in this call.',
    },
    {
      what: 'how many, this one included',
      rules: when('count("1h") == 2 && count("1d") == 3'),
      says: 'run',
    },
    {
      what: 'a window out of the arguments',
      rules: when('count(args.to) > 1'),
      says: /^ask lead !“bob” is not a duration/,
    },
    {
      what: 'calls that can’t be read',
      rules: when('count("1h") > 5'),
      outside: AWAY,
      says: 'ask lead !The disk is full.',
    },
  ],
});
