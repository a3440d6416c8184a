/** What is wrong with a policy file: where, what, and what to do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';

const KNOWN = {
  tools: ['write_file', 'read_file', 'pay'],
  agents: [
    { kind: 'helper', name: 'research' },
    { kind: 'helper', name: 'worker' },
  ],
} as const;

function problemsOf(text: string): readonly string[] {
  const read = readPolicy(text, KNOWN);
  const problems = read.ok ? read.file.warnings : read.problems;
  return problems.map(({ column, line, message, severity }) => {
    const mark = severity === 'warning' ? 'warning ' : '';
    return `${line}:${column} ${mark}${message}`;
  });
}

const ROUTE = 'version: 1\nroutes:\n  ops: ';
const RULES = 'version: 1\nrules:\n';
const GOOD_ROUTE = `${ROUTE}{ approvers: [user:U1] }\n`;

/** The content of the file, and each of its problems in order: place and a part of the message. */
// biome-ignore format: a row of the table is a line.
const WRONG: readonly (readonly [what: string, text: string, ...problems: readonly string[]])[] = [
  ['an empty file', '', '1:1 The file is empty. Begin it with version: 1.'],
  ['a text', 'hello', '1:1 The file can\'t be "hello": it holds version: 1, routes, rules, redact and default.'],
  ['no version', 'rules: []', '1:1 “version” is missing: it is 1'],
  ['another version', 'version: 2', '1:10 “version” can\'t be 2: it is 1'],
  ['a tab', 'version: 1\nrules:\n\t- x', '3:1 A tab can’t indent in YAML. Use spaces.'],
  ['a key twice', 'version: 1\nrules: []\nrules: []', '3:1 This key appears twice'],
  ['a broken list', 'version: 1\nrules: [', '2:9 This is not valid YAML'],
  ['two documents', 'version: 1\n---\nversion: 1', '2:1 A second document starts here'],
  ['a misspelled key', 'version: 1\nrule: []', '2:1 “rule” is not a key of the file. Did you mean “rules”?'],
  ['an unknown key without a similar one', 'version: 1\nfoo: []', '2:1 “foo” is not a key of the file. Known: version, onPolicyError, slackMayLoosen, routes, rules, redact, default.'],
  ['a wrong onPolicyError', 'version: 1\nonPolicyError: no', '2:16 “onPolicyError” can\'t be "no": it is ask or run.'],
  ['a slackMayLoosen that is not a boolean', 'version: 1\nslackMayLoosen: maybe', '2:17 “slackMayLoosen” can\'t be "maybe": it is true or false.'],
  ['rules that are not a list', 'version: 1\nrules: { a: 1 }', '2:8 “rules” can\'t be {"a":1}: it is a list of rules.'],
  ['a route that is a number', `${ROUTE}5`, '3:8 The route “ops” can\'t be 5: it is a route, with approvers'],
  ['a route without approvers', `${ROUTE}{ quorum: 2 }\n`, '3:8 “approvers” is missing: it is a list'],
  ['a misspelled key of a route', `${ROUTE}{ approvers: [user:U1], quorom: 1 }`, '3:3 warning Nothing uses', '3:32 “quorom” is not a key of the route “ops”. Did you mean “quorum”?'],
  ['a misspelled key deep inside', `${ROUTE}{ approvers: [user:U1], escalate: { afer: 1h, to: requester } }`, '3:3 warning', '3:42 “after” is missing', '3:44 “afer” is not a key of “escalate”.'],
  ['a route of a taken name', 'version: 1\nroutes:\n  requester: { approvers: [user:U1] }', '3:3 The route “requester” is built in'],
  ['a route of an odd name', 'version: 1\nroutes:\n  my route: { approvers: [user:U1] }', '3:3 “my route” can\'t be the name of a route', '3:3 warning'],
  ['a route of a name that objects have', 'version: 1\nroutes:\n  __proto__: { approvers: [user:U1], quorom: 1 }', '3:3 “__proto__” can\'t be the name of a route: use 1 to 40 letters, digits', '3:3 warning', '3:38 “quorom” is not a key of the route “__proto__”'],
  ['routes that are a list', 'version: 1\nroutes: [ops]', '2:9 “routes” can\'t be ["ops"]: it holds routes by their names.'],
  ['an invalid approver', `${ROUTE}{ approvers: [user:U1, bob] }`, '3:31 “approvers” can\'t hold "bob": an entry is requester, user:U012AB3CD'],
  ['a channel name without quotes', `${ROUTE}\n    channel: #ops\n    approvers: [user:U1]`, '4:14 YAML drops the text after # here. If it belongs to the value, put the value in quotes'],
  ['a handle without quotes', `${ROUTE}{ approvers: [@bob] }`, '3:22 A value can’t start with this character. Put it in quotes'],
  ['an invalid duration', `${ROUTE}{ approvers: [user:U1], deadline: 4 hours }`, '3:3 warning', '3:42 “deadline” can\'t be "4 hours": it is a duration, like 45s, 30m'],
  ['a number for a span', `${ROUTE}{ approvers: [user:U1], deadline: 30 }`, '3:3 warning', '3:42 “deadline” can\'t be 30: it is a duration'],
  ['a deadline too far away', `${ROUTE}{ approvers: [user:U1], deadline: 40d }`, '3:3 warning', '3:42 “deadline” can\'t be "40d": it is at most 30d.'],
  ['a reminder at the deadline', `${ROUTE}{ approvers: [user:U1], deadline: 1h, remindAfter: 60m }`, '3:3 warning', '3:59 1h is not before the deadline of 1h'],
  ['an escalation after the deadline', `${ROUTE}{ approvers: [user:U1], deadline: 1h, escalate: { after: 2h, to: requester } }`, '3:3 warning', '3:65 2h is not before the deadline of 1h'],
  ['an escalation to nowhere', `${ROUTE}{ approvers: [user:U1], escalate: { after: 1h, to: requestor } }`, '3:3 warning', '3:59 There is no route “requestor”. Did you mean “requester”?'],
  ['a circle of escalations', 'version: 1\nroutes:\n  a: { approvers: [user:U1], escalate: { after: 1h, to: b } }\n  b: { approvers: [user:U1], escalate: { after: 1h, to: a } }', '3:57 The route “a” escalates in a circle', '4:57 The route “b” escalates in a circle'],
  ['an escalation to itself', `${ROUTE}{ approvers: [user:U1], escalate: { after: 1h, to: ops } }`, '3:59 The route “ops” escalates in a circle'],
  ['more approvals than people', `${ROUTE}{ approvers: [user:U1, requester], quorum: 2 }`, '3:3 warning', '3:51 On the route “ops” only one person can approve, but 2 must'],
  ['the requester alone, who does not count', `${ROUTE}{ approvers: [requester] }`, '3:3 warning', '3:21 On the route “ops” only the requester decides'],
  ['a quorum of none', `${ROUTE}{ approvers: [user:U1], quorum: 0 }`, '3:3 warning', '3:40 “quorum” can\'t be 0'],
  ['an unknown decision', `${ROUTE}{ approvers: [user:U1], decisions: [accept] }`, '3:3 warning', '3:44 “decisions” can\'t hold "accept": an entry is one of approve, edit'],
  ['a rule without tools', `${RULES}  - { gate: run }`, '3:5 “tools” is missing: it is a list of names of tools'],
  ['a rule without a gate', `${RULES}  - { tools: [pay] }`, '3:5 “gate” is missing: it is run, ask or refuse.'],
  ['an unknown gate', `${RULES}  - { tools: [pay], gate: allow }`, '3:27 “gate” can\'t be "allow": it is run, ask or refuse.'],
  ['an unsupported wildcard', `${RULES}  - { tools: ["pay_?"], gate: run }`, '3:15 “tools” can\'t hold "pay_?": an entry is the name of a tool, or a pattern in which * stands for anything, like "pay_*"; there are no other wildcards.'],
  ['a route that there is not', `${GOOD_ROUTE}rules:\n  - { tools: [pay], gate: ask, route: op }`, '3:3 warning', '5:39 There is no route “op”. Did you mean “ops”?'],
  ['a refusal without a reason', `${RULES}  - { tools: [pay], gate: refuse }`, '3:21 “reason” is missing'],
  ['what has no effect', `${RULES}  - { tools: [pay], gate: run, route: requester, risk: high, reason: x }`, '3:32 “route” has no effect with gate: run', '3:50 “risk” has no effect', '3:62 “reason” has no effect'],
  ['a rule after one that takes all of its calls', `${RULES}  - { tools: [pay], gate: ask }\n  - { tools: [pay], gate: ask }`, '4:5 This rule never matches: rule 1, line 3 takes all of its calls.'],
  ['a rule after two that take all of its calls', `${RULES}  - { tools: ["p*"], gate: run }\n  - { tools: ["*_file"], gate: run }\n  - { tools: [pay, read_file], gate: run }`, '5:5 This rule never matches: rule 1, line 3 and rule 2, line 4 take all'],
  ['a rule for a helper after one for all', `${RULES}  - { tools: [pay], gate: ask }\n  - { tools: [pay], agent: worker, gate: ask }`, '4:5 This rule never matches'],
  ['a default that runs', 'version: 1\ndefault: { gate: run }', '2:18 “gate” can\'t be "run": it is ask or refuse: calls that match no rule must not run without approval'],
  ['a default of an unknown route', 'version: 1\ndefault: { gate: ask, route: opps }', '2:30 There is no route “opps”'],
  ['a condition that is not CEL', `${RULES}  - tools: [pay]\n    when: args.amount >\n    gate: run`, '4:24 This condition can\'t be used: Unexpected token: EOF.'],
  ['a condition in quotes with an unknown word', `${RULES}  - { tools: [pay], when: 'amount > 5', gate: run }`, '3:28 This condition can\'t be used: Unknown variable: amount. Known: args, tool, agent, requester, channel, thread.'],
  ['a condition over several lines', `${RULES}  - tools: [pay]\n    when: |\n      args.a == 1 &&\n      requester.mail == "x"\n    gate: run`, '6:17 This condition can\'t be used: No such key: mail.'],
  ['a condition that is not boolean', `${RULES}  - { tools: [pay], when: '1 + 1', gate: run }`, '3:28 This condition can\'t be used: It evaluates to int instead of true or false.'],
  ['an invalid window', `${RULES}  - { tools: [pay], when: 'count("1 hour") > 3', gate: run }`, '3:34 This condition can\'t be used: “1 hour” is not a duration'],
  ['the name of a channel where there are ids', `${RULES}  - { tools: [pay], when: 'channel != "#ops"', gate: run }`, '3:39 This condition can\'t be used: “#ops” is not an id. Channels are compared by their ids'],
  ['a name among ids of channels', `${RULES}  - { tools: [pay], when: 'channel in ["C1", "ops"]', gate: run }`, '3:46 This condition can\'t be used: “ops” is not an id. Channels'],
  ['a handle where there are ids of people', `${RULES}  - { tools: [pay], when: '"@leads" == requester.id', gate: run }`, '3:28 This condition can\'t be used: “@leads” is not an id. People'],
  ['the name of a group where there are ids', `${RULES}  - { tools: [pay], when: '!("ops" in requester.groups)', gate: run }`, '3:30 This condition can\'t be used: “ops” is not an id. Groups'],
  ['an invalid pattern', `${RULES}  - { tools: [pay], when: 'tool.matches("(")', gate: run }`, '3:42 This condition can\'t be used: This is not a valid RE2 regular expression: missing closing ), “(”.'],
  ['a function that there is not', `${RULES}  - { tools: [pay], when: 'spent("amount") > 3', gate: run }`, '3:28 This condition can\'t be used: found no matching overload'],
  ['a condition that is not text', `${RULES}  - { tools: [pay], when: true, gate: run }`, '3:27 “when” can\'t be true: it is a condition'],
  ['several things at once, in the order of the file', `version: 1\nrole: x\nroutes: { a: { approvers: [x] } }\nrules:\n  - { tools: [pay], gate: no }`, '2:1 “role”', '3:28 “approvers”', '5:27 “gate”'],
];

describe('a problem in a policy file', () => {
  for (const [what, text, ...expected] of WRONG) {
    it(`is found at its place: ${what}`, () => {
      assert.equal(readPolicy(text).ok, false);
      const found = problemsOf(text);
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [index, start] of expected.entries()) {
        assert.ok(found[index]?.startsWith(start), `${found[index]}\nbegins not with\n${start}`);
      }
    });
  }
});

/** A file that can be used, and its warning. */
// biome-ignore format: a row of the table is a line.
const WARNED: readonly (readonly [what: string, text: string, ...warnings: readonly string[]])[] = [
  ['an empty list of approvers', `${ROUTE}{ approvers: [] }\ndefault: { gate: ask, route: ops }`, '3:21 warning The route “ops” has no approvers: nobody can decide'],
  ['a route on which people may edit and not approve', `${ROUTE}{ approvers: [user:U1], decisions: [edit, ignore] }\ndefault: { gate: ask, route: ops }`, '3:43 warning Nobody can approve on the route “ops”. An edit without “approve” runs nothing.'],
  ['a route on which nobody approves', `${ROUTE}{ approvers: [user:U1], decisions: [reply] }\ndefault: { gate: ask, route: ops }`, '3:43 warning Nobody can approve on the route “ops”.'],
  ['a route that nothing uses', GOOD_ROUTE, '3:3 warning Nothing uses the route “ops”.'],
  ['a tool that there is not', `${RULES}  - { tools: [pay, writefile, "x*"], gate: run }`, '3:20 warning There is no tool like “writefile” here. Did you mean “write_file”? Your own tools come from TOOLS_MODULE.', '3:31 warning There is no tool like “x*” here. Your own tools come from TOOLS_MODULE.'],
  ['a helper that there is not', `${RULES}  - { tools: [pay], agent: bob, gate: run }`, '3:28 warning There is no agent like “bob” here; it means the key of that name: write key:bob.'],
  ['a rule after one that lets all run but what programs ask', `${RULES}  - { tools: [pay], gate: run }\n  - { tools: [pay], gate: ask }`, '4:5 warning Only calls of programs reach this rule: rule 1, line 3 takes all others.'],
  ['a file with nothing but its version', 'version: 1\n'],
  ['keys without values', 'version: 1\nroutes:\nrules:\ndefault: { gate: ask }\n'],
  ['a rule before a wider one', `${RULES}  - { tools: [pay], gate: ask }\n  - { tools: ["*"], gate: run }`],
  ['a rule after one with a condition', `${RULES}  - { tools: [pay], when: 'true', gate: run }\n  - { tools: [pay], gate: ask }`],
  ['a rule after one for a helper', `${RULES}  - { tools: [pay], agent: worker, gate: run }\n  - { tools: [pay], gate: ask }`],
  ['a rule of which some calls are left', `${RULES}  - { tools: [pay], gate: run }\n  - { tools: [pay, read_file], gate: ask }`],
  ['as many approvals as a group may have', `${ROUTE}{ approvers: [usergroup:S1], quorum: 9 }\ndefault: { gate: ask, route: ops }`],
];

describe('a policy file with warnings', () => {
  for (const [what, text, ...expected] of WARNED) {
    it(`can be used: ${what}`, () => {
      assert.equal(readPolicy(text).ok, true);
      const found = problemsOf(text);
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [index, start] of expected.entries()) {
        assert.ok(found[index]?.startsWith(start), `${found[index]}\nbegins not with\n${start}`);
      }
    });
  }
});

it('aliases that would fill the memory are refused at their place', () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const below = Array(9).fill(`*a${i}`).join(', ');
    return `a${i + 1}: &a${i + 1} [${i === 0 ? '1, 1, 1' : below}]`;
  });
  const found = problemsOf(`version: 1\na0: &a0 1\n${levels.join('\n')}\n`);
  assert.equal(found.length, 20);
  assert.match(
    found[0] ?? '',
    /^2:5 YAML reads “&a0” as an anchor and drops it\..*write repeated values out/,
  );
});

it('the example of the documentation is read as documented', () => {
  const read = readPolicy(`version: 1
onPolicyError: ask            # ask | run ("run" is loud and audited)
routes:
  ops:
    channel: C0OPS            # where the card goes; none: the thread itself
    approvers: [usergroup:S0OPS, user:U0LEAD, channel:C0OPS, requester, "@pat", "#oncall"]
    quorum: 2
    selfApproval: false
    decisions: [approve, edit, reply, ignore]
    deadline: 4h
    remindAfter: 30m
    escalate: { after: 2h, to: requester }
    requireReason: true
    allowGuests: true
rules:                        # the first match wins
  - tools: ["pay_*"]
    when: has(args.amount) && args.amount > 10000     # CEL
    gate: ask                 # run | ask | refuse
    route: ops
    risk: high
  - { tools: [list_files, read_file], gate: run }
default: { gate: ask, route: requester }      # "requester" is built in
`);
  assert.ok(read.ok);
  const { policy, routes, warnings } = read.file;
  assert.deepEqual(
    warnings.map(({ column, line, message }) => `${line}:${column} ${message}`),
    [
      '6:62 On the route “ops” the requester’s own approval never counts. Remove “requester”, or add selfApproval: true.',
    ],
  );
  assert.deepEqual(routes.get('ops'), {
    name: 'ops',
    channel: 'C0OPS',
    approvers: ['usergroup:S0OPS', 'user:U0LEAD', 'channel:C0OPS', 'requester', '@pat', '#oncall'],
    quorum: 2,
    selfApproval: false,
    decisions: ['approve', 'edit', 'reply', 'ignore'],
    deadlineMs: 14_400_000,
    remindAfterMs: 1_800_000,
    escalate: { afterMs: 7_200_000, to: 'requester' },
    requiresReason: true,
    allowsGuests: true,
  });
  assert.deepEqual(
    policy.rules.map(({ name, ruling }) => [name, ruling]),
    [
      ['rule 1, line 16', { gate: 'ask', route: 'ops', risk: 'high' }],
      ['rule 2, line 21', { gate: 'run' }],
    ],
  );
});
