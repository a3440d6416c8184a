/** Which agents a policy means: each is named with its kind, and a name alone never matches two. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentName } from '../../../src/domain/policy/agent-name.ts';
import { evaluatePolicy } from '../../../src/domain/policy/policy.ts';
import type { GateFacts } from '../../../src/domain/policy/route.ts';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { loadText } from '../../support/builders/a-policy.ts';
import { AWAY } from '../policy-table.ts';

const ACCOUNTANT = { kind: 'helper', name: 'accountant' } as const;
const KNOWN = {
  tools: ['pay'],
  agents: [
    ACCOUNTANT,
    { kind: 'helper', name: 'deploy' },
    { kind: 'graph', name: 'deploy' },
    { kind: 'key', name: 'bot' },
  ],
} as const;

const head = `version: 1
routes: { ops: { approvers: [user:U0OPS] } }
rules:
`;
const rules = (...lines: readonly string[]) =>
  `${head}${lines.map((line) => `  - ${line}\n`).join('')}default: { gate: ask, route: ops }\n`;
const run = (agent: string) => `{ tools: [pay], agent: ${agent}, gate: run }`;
const when = (condition: string, gate = 'run') =>
  `{ tools: [pay], when: '${condition}', gate: ${gate} }`;

async function judge(text: string, agent: AgentName | undefined): Promise<string> {
  const facts: GateFacts = {
    tool: 'pay',
    args: {},
    risk: 'low',
    requester: REQUESTER,
    channel: 'C1',
    thread: THREAD,
    ...(agent && { agent }),
    ...(agent && agent.kind !== 'helper' && { isOutside: true as const }),
  };
  const { failure, ruling } = await evaluatePolicy(loadText(text, KNOWN).policy, facts, AWAY);
  return failure === undefined ? ruling.gate : `${ruling.gate} !${failure}`;
}

const helper = (name: string) => ({ kind: 'helper', name }) as const;
const keyNamed = (name: string) => ({ kind: 'key', name }) as const;
const graph = (name: string) => ({ kind: 'graph', name }) as const;
const UNCLEAR =
  '“accountant” means helper:accountant in the policy, but key:accountant has that name too.';

// biome-ignore format: a row of the table is a line.
const MEANT: readonly (readonly [rule: string, agent: AgentName | undefined, says: string])[] = [
  [run('helper:accountant'), ACCOUNTANT, 'run'],
  [run('helper:accountant'), keyNamed('accountant'), 'ask'],
  [run('helper:accountant'), graph('accountant'), 'ask'],
  [run('helper:accountant'), undefined, 'ask'],
  [run('key:accountant'), keyNamed('accountant'), 'run'],
  [run('key:accountant'), ACCOUNTANT, 'ask'],
  [run('graph:deploy'), graph('deploy'), 'run'],
  [run('graph:deploy'), helper('deploy'), 'ask'],
  [run('"key:*"'), keyNamed('any'), 'run'],
  [run('"key:*"'), helper('any'), 'ask'],
  [run('"*"'), keyNamed('any'), 'run'],
  [run('"*"'), undefined, 'ask'],
  [run('accountant'), ACCOUNTANT, 'run'],
  [run('accountant'), keyNamed('accountant'), `ask !${UNCLEAR}`],
  [run('"account*"'), keyNamed('accountant'), 'ask !“account*” means helper:account* in the policy, but key:accountant has that name too.'],
  [run('bot'), keyNamed('bot'), 'run'],
  [run('later-bot'), keyNamed('later-bot'), 'run'],
  [run('later-bot'), helper('later-bot'), 'ask !“later-bot” means key:later-bot in the policy, but helper:later-bot has that name too.'],
  [run('[accountant, key:accountant]'), keyNamed('accountant'), 'run'],
  [run('"key:deploy bot"'), keyNamed('deploy bot'), 'run'],
  ['{ tools: [pay], agent: accountant, gate: refuse, reason: No. }', keyNamed('accountant'), `refuse !${UNCLEAR}`],
  ['{ tools: [pay], agent: accountant, gate: ask }', keyNamed('accountant'), `ask !${UNCLEAR}`],
  [when('agent == "helper:accountant"'), ACCOUNTANT, 'run'],
  [when('agent == "accountant"'), ACCOUNTANT, 'run'],
  [when('agent == "accountant"'), undefined, 'ask'],
  [when('agent == ""'), undefined, 'run'],
  [when('agent in ["accountant", "helper:deploy"]'), helper('deploy'), 'run'],
  [when('"accountant" != agent'), helper('deploy'), 'run'],
  [when('agent.startsWith("helper:acc") && agent.endsWith("tant")'), ACCOUNTANT, 'run'],
  [`{ tools: [pay], agent: "*", when: 'agent == "accountant"', gate: run }`, keyNamed('accountant'), `ask !${UNCLEAR}`],
  [`{ tools: [pay], agent: "*", when: 'agent != "accountant"', gate: run }`, keyNamed('accountant'), `ask !${UNCLEAR}`],
  [`{ tools: [pay], agent: "*", when: 'agent == "key:accountant"', gate: run }`, keyNamed('accountant'), 'run'],
  [`{ tools: [pay], when: 'agent == "accountant"', gate: refuse, reason: No. }`, keyNamed('accountant'), `refuse !${UNCLEAR}`],
];

describe('the agent of a rule', () => {
  for (const [rule, agent, says] of MEANT) {
    const who = agent ? `${agent.kind}:${agent.name}` : 'the thread’s own agent';
    it(`${rule} for ${who}: ${says}`, async () => {
      assert.equal(await judge(rules(rule), agent), says);
    });
  }
});

// biome-ignore format: a row of the table is a line.
const REFUSED: readonly (readonly [rule: string, problem: string])[] = [
  [run('deploy'), '4:28 “deploy” means helper:deploy and graph:deploy. Write which, like helper:deploy or graph:deploy.'],
  [run('[bot, deploy]'), '4:34 “deploy” means helper:deploy and graph:deploy.'],
  [run('"*o*"'), '4:28 “*o*” means helper:accountant and helper:deploy and graph:deploy and key:bot. Write which'],
  [run('server:github'), '4:28 “server:github” has no known kind of agent (helper:, key:, graph:).'],
  [run('"key:"'), '4:28 “key:” has no known kind of agent'],
  [run('"Helper:accountant"'), '4:28 “Helper:accountant” has no known kind of agent'],
  [run('"!accountant"'), '4:28 “agent” can\'t be "!accountant": it is an agent, like helper:research, key:deploy-bot'],
  [run('" accountant"'), '4:28 “agent” can\'t be " accountant"'],
  [when('agent == "deploy"'), '4:37 This condition can\'t be used: “deploy” means helper:deploy and graph:deploy. Write which'],
  [when('agent in ["bot", "deploy"]'), '4:45 This condition can\'t be used: “deploy” means'],
  [when('agent == "server:x"'), '4:37 This condition can\'t be used: “server:x” has no known kind'],
  [when('agent == "key:*"'), '4:37 This condition can\'t be used: “key:*”: * has no meaning in a condition.'],
  [when('agent.startsWith("deploy")'), '4:45 This condition can\'t be used: Agent names start with their kind (helper:, key:, graph:), like "key:deploy".'],
  [when('agent.matches("^bot")'), '4:28 This condition can\'t be used: Compare “agent” with names in quotes'],
  [when('agent == args.who'), '4:37 This condition can\'t be used: Compare “agent” with names'],
  [when('size(agent) == 0'), '4:33 This condition can\'t be used: Compare “agent” with names'],
  [when('agent in args.list'), '4:37 This condition can\'t be used: Compare “agent” with names'],
];

describe('an ambiguous name is refused at its place', () => {
  for (const [rule, problem] of REFUSED) {
    it(rule, () => {
      const read = readPolicy(rules(rule), KNOWN);
      assert.equal(read.ok, false);
      const [found] = read.ok ? [] : read.problems.filter(({ severity }) => severity === 'error');
      const said = `${found?.line}:${found?.column} ${found?.message}`;
      assert.ok(said.startsWith(problem), `${said}\nbegins not with\n${problem}`);
    });
  }
});

// biome-ignore format: a row of the table is a line.
const TOOLS: readonly (readonly [what: string, glob: string])[] = [
  ['a negation', '!pay'], ['a beginning', '^pay'], ['an end', 'pay$'], ['a list in a text', 'pay,read'],
  ['a question mark', 'pay_?'], ['a class', 'pay_[ab]'], ['an alternative', '{pay,read}'], ['an escape', 'pay\\\\_x'],
  ['a blank', 'pay '], ['a blank inside', 'pay it'], ['quotes', "'pay'"], ['a wildcard of SQL', 'pay%'], ['a home', '~pay'], ['a plus', 'pay.+'],
];

describe('a pattern of tools has only * as a wildcard', () => {
  for (const [what, glob] of TOOLS) {
    it(`${what} is refused`, () => {
      const read = readPolicy(rules(`{ tools: ["${glob}"], gate: run }`), KNOWN);
      assert.match(
        read.ok ? '' : (read.problems[0]?.message ?? ''),
        /there are no other wildcards/,
      );
    });
  }

  it('a dot before * is explained', () => {
    const read = readPolicy(rules('{ tools: ["pay_.*"], gate: ask }'), KNOWN);
    const [warning] = read.ok ? read.file.warnings : [];
    assert.match(
      warning?.message ?? '',
      /no tool like “pay_\.\*” here\. Use \* alone as the wildcard/,
    );
  });
});
