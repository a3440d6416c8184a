/** A changed route applies to pending calls, and the change itself never approves anything. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { cardDigest, shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { inTurn } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { buildPolicyDesk, type PolicyDesk, type StoreKind } from '../support/policy-desk.ts';

const PEOPLE = [APPROVER, SECOND_APPROVER].map(({ user }) => `user:${user}`).join(', ');

/** The start of a rule for the pending payment. */
const PAY = "  - { tools: [pay], when: 'args.amount > 50',";

interface Rule {
  readonly quorum?: number;
  readonly approvers?: string;
  readonly more?: string;
  readonly rule?: string;
}

const policy = ({ quorum = 2, approvers = PEOPLE, more = '', rule = '' }: Rule = {}) => `version: 1
routes:
  ops: { approvers: [${approvers}], quorum: ${quorum}${more} }
rules:
${rule}  - { tools: [pay], gate: ask, route: ops }
`;

interface Waiting extends PolicyDesk {
  readonly directory: ReturnType<typeof createTestDirectory>;
  call(): Promise<Call>;
  /** Approves as on the card of `shown`. */
  press(shown: Call, by: Person): ReturnType<PolicyDesk['desk']['decide']>;
}

/** A desk with one pending payment. */
async function waiting(t: TestContext, text: string, store?: StoreKind): Promise<Waiting> {
  const directory = createTestDirectory();
  directory.setGroup('usergroup:S1', [APPROVER.user, SECOND_APPROVER.user], { handle: 'ops' });
  const desk = await buildPolicyDesk(t, { policy: text, directory, ...(store && { store }) });
  let turn = 0;
  desk.model.script(() => {
    turn += 1;
    return turn === 1 ? sayCalls([{ name: 'pay', args: '{"amount":80}' }]) : sayText('Done.');
  });
  await desk.send('Pay, please.');
  async function call(): Promise<Call> {
    const [found] = await desk.calls();
    assert.ok(found);
    return found;
  }
  return {
    ...desk,
    directory,
    call,
    async press(shown, by) {
      const { attempt, id: callId } = shown;
      const bound = { callId, attempt, digest: shortDigest(shown.digest), card: cardDigest(shown) };
      const outcome = await desk.desk.decide({ ...bound, by, decision: { kind: 'approve' } });
      await desk.rest();
      return outcome;
    },
  };
}

const entries = async ({ store }: PolicyDesk, event: string) =>
  (await store.audit.read(1, 1_000)).filter((entry) => entry.event === event);

for (const kind of inTurn(['SQLite', 'Redis'] as const, 1)) {
  describe(`a route that changes while a call waits, on ${kind}`, () => {
    it('is not stuck after a lower quorum: the approval is kept, and a click runs it', async (t) => {
      const on = await waiting(t, policy(), kind);
      await on.press(await on.call(), APPROVER);
      await on.applyPolicy(policy({ quorum: 1 }));
      const call = await on.call();
      assert.deepEqual([call.status, call.route?.quorum, call.votes.length], ['pending', 1, 1]);
      assert.deepEqual(on.paid, []);
      assert.equal(on.chat.cards.get(call.id)?.route?.quorum, 1);
      assert.match(plainSentence(call.note ?? ''), /needs 1 approval instead of 2.*Press Approve/);
      assert.equal((await on.press(call, APPROVER)).kind, 'decided');
      assert.deepEqual(on.paid, [80]);
      const [entry] = await entries(on, 'call.reroute');
      assert.deepEqual(entry?.detail.changed, ['quorum']);
      assert.equal(entry?.detail.rule, 'rule 1, line 5');
    });

    it('needs more approvals after a higher quorum, and keeps the earlier one', async (t) => {
      const on = await waiting(t, policy({ quorum: 2 }), kind);
      await on.press(await on.call(), APPROVER);
      const three = `${PEOPLE}, user:${OUTSIDER.user}`;
      await on.applyPolicy(policy({ quorum: 3, approvers: three }));
      assert.equal((await on.press(await on.call(), SECOND_APPROVER)).kind, 'recorded');
      assert.deepEqual(on.paid, []);
      assert.equal((await on.press(await on.call(), OUTSIDER)).kind, 'decided');
      assert.deepEqual(on.paid, [80]);
    });
  });
}

describe('a pending call whose route changes', () => {
  it('drops the approval of a person who may not approve any more, and says so', async (t) => {
    const on = await waiting(t, policy());
    await on.press(await on.call(), APPROVER);
    await on.applyPolicy(policy({ quorum: 1, approvers: `user:${SECOND_APPROVER.user}` }));
    const call = await on.call();
    assert.deepEqual(call.votes, []);
    assert.match(plainSentence(call.note ?? ''), /An approval no longer counts: U2/);
    assert.equal((await on.press(call, APPROVER)).kind, 'not-allowed');
    assert.equal((await on.press(call, SECOND_APPROVER)).kind, 'decided');
    assert.deepEqual(on.paid, [80]);
  });

  it('is not decided by a click on the card of the old route', async (t) => {
    const on = await waiting(t, policy());
    const shown = await on.call();
    await on.press(shown, APPROVER);
    await on.applyPolicy(policy({ quorum: 1 }));
    const outcome = await on.press(shown, SECOND_APPROVER);
    assert.equal(outcome.kind, 'rerouted');
    assert.equal((await on.call()).status, 'pending');
    assert.deepEqual(on.paid, []);
  });

  it('can be decided on a card of an earlier version until its route changes', async (t) => {
    const three = `${PEOPLE}, user:${OUTSIDER.user}`;
    const on = await waiting(t, policy({ quorum: 3, approvers: three }));
    const { attempt, digest, id: callId } = await on.call();
    const press = (by: Person) => {
      const old = { callId, attempt, digest: shortDigest(digest), card: '' };
      return on.desk.decide({ ...old, by, decision: { kind: 'approve' } });
    };
    assert.equal((await press(APPROVER)).kind, 'recorded');
    await on.applyPolicy(policy());
    assert.equal((await press(SECOND_APPROVER)).kind, 'rerouted');
  });

  it('is updated by the click if nothing has updated it before', async (t) => {
    const on = await waiting(t, policy({ quorum: 1 }));
    on.setPolicy(policy({ quorum: 2 }));
    const outcome = await on.press(await on.call(), APPROVER);
    assert.equal(outcome.kind, 'rerouted');
    assert.deepEqual([(await on.call()).status, (await on.call()).route?.quorum], ['pending', 2]);
    assert.deepEqual(on.paid, []);
  });

  it('is refused if the policy refuses now, but not run if the policy says run now', async (t) => {
    const on = await waiting(t, policy());
    await on.applyPolicy(policy({ rule: `${PAY} gate: run }\n` }));
    const call = await on.call();
    assert.deepEqual([call.status, call.route?.quorum, on.paid], ['pending', 1, []]);
    await on.applyPolicy(policy({ rule: `${PAY} gate: refuse, reason: Never. }\n` }));
    assert.equal((await on.call()).status, 'refused');
    assert.deepEqual(on.paid, []);
  });

  it('runs after one click if the policy says run now', async (t) => {
    const on = await waiting(t, policy());
    await on.applyPolicy(policy({ rule: `${PAY} gate: run }\n` }));
    assert.equal((await on.press(await on.call(), APPROVER)).kind, 'decided');
    assert.deepEqual(on.paid, [80]);
  });

  it('stays as it is if a condition fails', async (t) => {
    const on = await waiting(t, policy());
    const before = await on.call();
    for (const gate of ['refuse, reason: Never.', 'run', 'ask, route: requester']) {
      const rule = `  - { tools: [pay], when: 'args.nothing > 1', gate: ${gate} }\n`;
      await on.applyPolicy(policy({ quorum: 1, rule }));
      assert.deepEqual(await on.call(), before);
    }
  });

  it('moves its card, and updates the stub and the old card', async (t) => {
    const on = await waiting(t, policy());
    await on.applyPolicy(policy({ more: ', channel: C0OPS' }));
    const call = await on.call();
    assert.equal((await on.store.ledger.cardOf(call.id))?.channel, 'C0OPS');
    assert.ok(on.chat.stubs.has(call.id));
    await on.applyPolicy(policy({ more: ', channel: C0FIN' }));
    assert.equal((await on.store.ledger.cardOf(call.id))?.channel, 'C0FIN');
    assert.ok(
      on.chat.drawings.some(({ place, what }) => what === 'moved' && place.channel === 'C0OPS'),
    );
    await on.applyPolicy(policy());
    assert.equal((await on.store.ledger.cardOf(call.id))?.channel, 'C1');
  });

  it('uses the new deadline, but always leaves some time to decide', async (t) => {
    const on = await waiting(t, policy({ more: ', deadline: 24h' }));
    const since = on.clock.now();
    await on.clock.advance(3_600_000);
    await on.applyPolicy(policy({ more: ', deadline: 2h' }));
    assert.equal((await on.call()).deadlineAt, since + 2 * 3_600_000);
    await on.applyPolicy(policy({ more: ', deadline: 30m' }));
    assert.equal((await on.call()).deadlineAt, on.clock.now() + 600_000);
    await on.clock.advance(600_000);
    await on.rest();
    assert.equal((await on.call()).status, 'expired');
  });

  it('has the new buttons and the new risk', async (t) => {
    const on = await waiting(t, policy());
    const rule = `${PAY} gate: ask, route: ops, risk: high }\n`;
    await on.applyPolicy(policy({ rule, more: ', decisions: [approve, ignore]' }));
    const call = await on.call();
    assert.deepEqual([call.risk, call.route?.decisions], ['high', ['approve', 'ignore']]);
    await on.applyPolicy(policy());
    assert.equal((await on.call()).risk, 'medium');
  });

  it('is written once for a change, and not at all without one', async (t) => {
    const on = await waiting(t, policy());
    await on.applyPolicy(policy({ quorum: 1 }));
    await on.applyPolicy(policy({ quorum: 1 }));
    assert.equal((await entries(on, 'call.reroute')).length, 1);
  });

  it('reminds the new people at their own time', async (t) => {
    const on = await waiting(t, policy({ more: ', remindAfter: 1h' }));
    await on.clock.advance(1_800_000);
    await on.applyPolicy(
      policy({ approvers: `user:${OUTSIDER.user}`, quorum: 1, more: ', remindAfter: 1h' }),
    );
    await on.clock.advance(1_800_000);
    await on.rest();
    assert.equal((await on.call()).remindedAt, undefined);
    await on.clock.advance(1_800_000);
    await on.rest();
    assert.equal((await on.call()).remindedAt, on.clock.now());
  });

  it('is found on every page of the pending calls', async (t) => {
    const on = await waiting(t, policy());
    const caller = { key: 'k1', name: 'bot', host: '203.0.113.7' };
    const request = { tool: 'pay', args: {}, channel: 'C1', requester: REQUESTER };
    for (let i = 0; i < 120; i += 1) await on.outside.request(caller, request);
    await on.applyPolicy(policy({ quorum: 1 }));
    const all = await on.store.ledger.withStatus('pending');
    const quorums = all.map(({ route }) => route?.quorum);
    assert.deepEqual([quorums.length, [...new Set(quorums)]], [121, [1]]);
  });
});

describe('a user group whose members change', () => {
  const grouped = policy({ quorum: 1, approvers: 'usergroup:S1' });

  it('drops the approval of a removed member', async (t) => {
    const on = await waiting(t, policy({ quorum: 2, approvers: 'usergroup:S1' }));
    await on.press(await on.call(), APPROVER);
    on.directory.setGroup('usergroup:S1', [SECOND_APPROVER.user, OUTSIDER.user]);
    await on.desk.groupChanged({ team: 'T1', group: 'usergroup:S2' });
    await on.rest();
    assert.equal((await on.call()).votes.length, 1);
    await on.desk.groupChanged({ team: 'T1', group: 'usergroup:S1' });
    await on.rest();
    assert.equal((await on.call()).votes.length, 0);
  });

  it('redraws the card with the people it waits for', async (t) => {
    const on = await waiting(t, grouped);
    on.directory.setGroup('usergroup:S1', []);
    await on.desk.groupChanged({ team: 'T1', group: 'usergroup:S1' });
    await on.rest();
    const { id } = await on.call();
    assert.match(plainSentence(on.chat.outlooks.get(id)?.gap ?? ''), /can.t be approved/);
    on.directory.setGroup('usergroup:S1', [REQUESTER.user, APPROVER.user]);
    await on.desk.groupChanged({ team: 'T1', group: 'usergroup:S1' });
    await on.rest();
    assert.equal(on.chat.outlooks.get(id)?.gap, undefined);
  });
});
