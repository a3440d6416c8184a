/** Policies on the real desk, on both stores. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { PersonLookup } from '../../../src/domain/policy/policy.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { buildPolicyDesk, type PolicyDesk, type StoreKind } from '../support/policy-desk.ts';

const LIMIT = `version: 1
rules:
  - { tools: [pay], when: 'spent("amount", "1h") > 100', gate: ask, route: requester }
  - { tools: [pay], gate: run }
`;

const pay = (args: object) => ({ name: 'pay', args: JSON.stringify(args) });

function statusesOf(calls: readonly Call[]): readonly string[] {
  return calls.map(({ status }) => status);
}

/** The model makes these calls in one message, and then ends its turn. */
async function askFor(desk: PolicyDesk, all: readonly object[]): Promise<void> {
  let turn = 0;
  desk.model.script(() => {
    turn += 1;
    return turn === 1 ? sayCalls(all.map(pay)) : sayText('Done.');
  });
  await desk.send('Pay, please.');
}

for (const store of ['SQLite', 'Redis'] satisfies readonly StoreKind[]) {
  describe(`a limit on ${store}`, () => {
    it('ten calls of one message cannot bypass it: the second one asks, and so do the others', async (t) => {
      const desk = await buildPolicyDesk(t, { policy: LIMIT, store });
      await askFor(desk, Array(10).fill({ amount: 99 }));
      assert.deepEqual(statusesOf(await desk.calls()), ['succeeded', ...Array(9).fill('pending')]);
      assert.deepEqual(desk.paid, [99]);
    });

    it('ten calls of ten turns cannot bypass it until the hour is over', async (t) => {
      const desk = await buildPolicyDesk(t, { policy: LIMIT, store });
      await askFor(desk, [{ amount: 99 }]);
      await desk.clock.advance(59 * 60_000);
      await askFor(desk, [{ amount: 2 }]);
      const [, second] = await desk.calls();
      assert.equal(second?.status, 'pending');
      await desk.clock.advance(60_000);
      await askFor(desk, [{ amount: 98 }]);
      assert.deepEqual(desk.paid, [99, 98]);
    });

    it('an ignored call frees its share', async (t) => {
      const desk = await buildPolicyDesk(t, { policy: LIMIT, store });
      await askFor(desk, [{ amount: 150 }]);
      const [first] = await desk.calls();
      assert.equal(first?.status, 'pending');
      if (first) await desk.decide(first, REQUESTER, { kind: 'ignore' });
      await askFor(desk, [{ amount: 100 }]);
      assert.deepEqual(desk.paid, [100]);
    });
  });
}

describe('a policy that changes between the approval and the run', () => {
  const ASK = `version: 1
default: { gate: ask, route: requester }
`;

  /** Approves the call, and uses another policy while it is claimed. */
  async function approveUnder(desk: PolicyDesk, policy: string): Promise<Call> {
    await askFor(desk, [{ amount: 5 }]);
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    desk.setPolicy(policy);
    await desk.decide(call, REQUESTER);
    const [after] = await desk.calls();
    assert.ok(after);
    return after;
  }

  it('returns the call to pending with the reason if others have to approve now', async (t) => {
    const desk = await buildPolicyDesk(t, { policy: ASK });
    const call = await approveUnder(
      desk,
      `version: 1
routes: { lead: { approvers: [user:U0LEAD] } }
default: { gate: ask, route: lead, risk: high }
`,
    );
    assert.equal(call.status, 'pending');
    assert.equal(call.route?.name, 'lead');
    assert.equal(call.risk, 'high');
    assert.ok((call.note ?? '') !== '');
    assert.deepEqual(desk.paid, []);
  });

  it('refuses the call if it is forbidden now', async (t) => {
    const desk = await buildPolicyDesk(t, { policy: ASK });
    const refusal = `version: 1
default: { gate: refuse, reason: No payments in December. }
`;
    const call = await approveUnder(desk, refusal);
    assert.equal(call.status, 'refused');
    assert.deepEqual(call.outcome, { kind: 'refused', reason: 'No payments in December.' });
    assert.deepEqual(desk.paid, []);
  });

  it('refuses the call if a refuse rule fails now, and returns it to pending if a run rule fails', async (t) => {
    const rule = (gate: string) => `version: 1
onPolicyError: run
rules:
  - { tools: [pay], when: args.nope == 1, gate: ${gate} }
  - { tools: [pay], gate: run }
routes: { lead: { approvers: [user:U0LEAD] } }
default: { gate: ask, route: lead }
`;
    const refusing = await buildPolicyDesk(t, { policy: ASK });
    const refused = await approveUnder(refusing, rule('refuse, reason: Not this.'));
    assert.equal(refused.status, 'refused');
    assert.match(
      JSON.stringify(refused.outcome),
      /Not this\. \(.*rule 1, line 4: No such key: nope\./,
    );
    const running = await buildPolicyDesk(t, { policy: ASK });
    const back = await approveUnder(running, rule('run'));
    assert.deepEqual([back.status, back.route?.name], ['pending', 'lead']);
    assert.deepEqual([...refusing.paid, ...running.paid], []);
  });

  it('lets the call run if the new policy gives the same answer', async (t) => {
    const desk = await buildPolicyDesk(t, { policy: ASK });
    assert.equal((await approveUnder(desk, `${ASK}# the same\n`)).status, 'succeeded');
    assert.deepEqual(desk.paid, [5]);
  });
});

describe('a condition that fails', () => {
  const MISSING = `version: 1
routes: { lead: { approvers: [user:U0LEAD] } }
rules:
  - { tools: [pay], when: args.amount > 100, gate: ask, route: lead, risk: high }
default: { gate: ask, route: requester }
`;

  it('asks on the route of its rule, and the card and the audit say so', async (t) => {
    const desk = await buildPolicyDesk(t, { policy: MISSING });
    await askFor(desk, [{}]);
    const [call] = await desk.calls();
    assert.equal(call?.route?.name, 'lead');
    assert.equal(call?.risk, 'high');
    assert.match(
      plainSentence(call?.note ?? ''),
      /could not be evaluated \(rule 1, line 4\): No such key: amount/,
    );
    const audit = await desk.store.audit.read(1, 100);
    const failed = audit.find(({ event }) => event === 'policy.error');
    assert.deepEqual(
      [failed?.subject, failed?.detail.rule, failed?.detail.answer],
      [call?.id, 'rule 1, line 4', 'ask'],
    );
    assert.equal((await desk.store.audit.check()).fault, undefined);
  });

  it('runs the call with onPolicyError: run, and the audit says so', async (t) => {
    const desk = await buildPolicyDesk(t, {
      policy: MISSING.replace('version: 1', 'version: 1\nonPolicyError: run'),
    });
    await askFor(desk, [{}]);
    assert.deepEqual(desk.paid, [0]);
    const audit = await desk.store.audit.read(1, 100);
    const failed = audit.filter(({ event }) => event === 'policy.error');
    assert.deepEqual(
      failed.map(({ detail }) => detail.answer),
      ['run', 'run'],
    );
  });

  it('does not run the call with onPolicyError: run if the audit cannot be written', async (t) => {
    const desk = await buildPolicyDesk(t, {
      policy: MISSING.replace('version: 1', 'version: 1\nonPolicyError: run'),
    });
    t.mock.method(desk.store.audit, 'append', async () => {
      throw new Error('The disk is full.');
    });
    await askFor(desk, [{}]);
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    assert.deepEqual(desk.paid, []);
  });
});

describe('a Slack lookup of a condition', () => {
  const BY_GROUP = `version: 1
rules:
  - { tools: [pay], when: 'args.amount < 10 || "S0PAY" in requester.groups', gate: run }
default: { gate: ask, route: requester }
`;

  function countingPeople(): { readonly people: PersonLookup; asked(): number } {
    let asked = 0;
    const groupsOf = async () => {
      asked += 1;
      return ['S0PAY'];
    };
    return { people: { emailOf: async () => 'x@example.test', groupsOf }, asked: () => asked };
  }

  it('happens only if the result depends on it', async (t) => {
    const { people, asked } = countingPeople();
    const desk = await buildPolicyDesk(t, { policy: BY_GROUP, people });
    await askFor(desk, [{ amount: 5 }]);
    assert.equal(asked(), 0);
    await askFor(desk, [{ amount: 50 }]);
    assert.ok(asked() > 0);
    assert.deepEqual(desk.paid, [5, 50]);
  });

  it('makes people decide if Slack does not answer', async (t) => {
    const desk = await buildPolicyDesk(t, { policy: BY_GROUP });
    await askFor(desk, [{ amount: 50 }]);
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    assert.match(plainSentence(call?.note ?? ''), /Slack is away/);
  });
});

it('the audit names the rule and the policy of every answer of the gate', async (t) => {
  const desk = await buildPolicyDesk(t, { policy: LIMIT });
  await askFor(desk, [{ amount: 99 }]);
  const answered = (await desk.store.audit.read(1, 100)).filter(({ event }) =>
    ['call.gate', 'call.claim'].includes(event),
  );
  assert.equal(answered.length, 2);
  for (const { detail } of answered) {
    assert.equal(detail.rule, 'rule 2, line 4');
    assert.match(String(detail.policy), /^[0-9a-f]{64}$/);
  }
});
