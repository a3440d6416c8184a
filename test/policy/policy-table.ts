/** Tables of what policies say about calls: rules, facts, the answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConditionLookups, evaluatePolicy } from '../../src/domain/policy/policy.ts';
import type { GateFacts } from '../../src/domain/policy/route.ts';
import { REQUESTER, THREAD } from '../support/builders/a-call.ts';
import { loadText } from '../support/builders/a-policy.ts';

const ROUTES = `
routes:
  ops: { approvers: [user:U0OPS], escalate: { after: 1h, to: lead } }
  lead: { approvers: [user:U0LEAD] }`;

const KNOWN: ConditionLookups = {
  emailOf: async () => 'riley@example.test',
  groupsOf: async () => ['S0OPS', 'S0ALL'],
  earlierArgs: async (ms) =>
    ms >= 86_400_000 ? [{ amount: 40 }, { amount: 2.5, order: { sum: 7 } }] : [{ amount: 40 }],
};

/** Every lookup outside the policy fails. */
export const AWAY: ConditionLookups = {
  emailOf: async () => Promise.reject(new Error('Slack is away.')),
  groupsOf: async () => Promise.reject(new Error('Slack is away.')),
  earlierArgs: async () => Promise.reject(new Error('The disk is full.')),
};

export interface PolicyCase {
  readonly what: string;
  readonly rules: string;
  readonly facts?: Partial<GateFacts>;
  /** `run`, `ask ROUTE` or `refuse`; the text after ` !` is the failure. */
  readonly says: string | RegExp;
  readonly outside?: ConditionLookups;
  /** Replaces `{ gate: ask, route: lead }`. */
  readonly otherwise?: string;
  readonly top?: string;
}

async function judge({ rules, facts = {}, outside = KNOWN, otherwise, top = '' }: PolicyCase) {
  const text = `version: 1\n${top}${ROUTES}\nrules:\n${rules}\ndefault: ${otherwise ?? '{ gate: ask, route: lead }'}\n`;
  const whole: GateFacts = {
    tool: 'pay',
    args: { amount: 100, to: 'bob', list: [1, 2, 3], nothing: null, deep: { on: true } },
    risk: 'low',
    requester: REQUESTER,
    channel: 'C1',
    thread: THREAD,
    ...facts,
  };
  const { ruling, failure } = await evaluatePolicy(loadText(text).policy, whole, outside);
  const route = ruling.gate === 'ask' ? ` ${ruling.route.name}` : '';
  return `${ruling.gate}${route}${failure === undefined ? '' : ` !${failure}`}`;
}

/** A rule for the tool `pay`. */
export const when = (condition: string, gate = 'run') =>
  `  - { tools: [pay], when: '${condition}', gate: ${gate} }`;
/** Makes one test per row. */
export function testPolicies(tables: Readonly<Record<string, readonly PolicyCase[]>>): void {
  for (const [about, cases] of Object.entries(tables)) {
    describe(about, () => {
      for (const each of cases) {
        it(`${each.what}: ${each.says}`, async () => {
          const said = await judge(each);
          if (typeof each.says === 'string') assert.equal(said, each.says);
          else assert.match(said, each.says);
        });
      }
    });
  }
}
