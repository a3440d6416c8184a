/** Routes that are set in Slack, on the real desk: who sets them, and which calls they affect. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRouteControl, type RouteControl } from '../../../src/desk/control/routes.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { AdminRouteDraft } from '../../../src/domain/policy/admin-routes.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { inTurn } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { buildPolicyDesk, type PolicyDesk, type StoreKind } from '../support/policy-desk.ts';

const ADMIN = { team: REQUESTER.team, user: 'U0ADMIN' };
const OTHER = { team: REQUESTER.team, user: 'U0OTHER' };

const ASK = 'version: 1\ndefault: { gate: ask, route: requester }\n';
const RULED = `version: 1
routes:
  ops: { approvers: [user:${APPROVER.user}, user:U3], quorum: 2, deadline: 4h, decisions: [approve, ignore], channel: C0OPS, requireReason: true }
rules:
  - { tools: [refund], gate: refuse, reason: Never. }
  - { tools: [pay], when: 'has(args.amount) && args.amount > 100', gate: refuse, reason: Too much. }
  - { tools: [pay], gate: ask, route: ops }
`;

const ROUTE: AdminRouteDraft = {
  name: 'fin',
  approvers: [`user:${APPROVER.user}`],
  quorum: 1,
  selfApproval: false,
  decisions: ['approve', 'edit', 'reply', 'ignore'],
  deadlineMs: 3_600_000,
  tools: ['pay'],
};

interface Bench extends PolicyDesk {
  readonly routes: RouteControl;
  readonly directory: ReturnType<typeof createTestDirectory>;
}

async function open(t: TestContext, policy = ASK, store: StoreKind = 'SQLite'): Promise<Bench> {
  const isAdmin = true;
  const people = { [ADMIN.user]: { isAdmin, name: 'Ada' }, [OTHER.user]: { isAdmin } };
  const directory = createTestDirectory(people);
  const desk = await buildPolicyDesk(t, { policy, store, directory });
  const silent = () => {};
  const tools = ['pay', 'refund'].map((name) => ({ name }));
  const routes = createRouteControl({
    store: desk.store,
    directory,
    toolbox: { ...buildToolbox([]), list: () => tools as never },
    clock: desk.clock,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    policy: desk.policy,
  });
  return { ...desk, routes, directory };
}

async function askToPay(desk: PolicyDesk, amount: number): Promise<Call> {
  desk.model.script((_request, index) => {
    const call = { name: 'pay', args: JSON.stringify({ amount }) };
    return index === 0 ? sayCalls([call]) : sayText('Done.');
  });
  await desk.send('Pay, please.');
  const call = (await desk.calls()).at(-1);
  assert(call);
  return call;
}

async function audited({ store }: PolicyDesk, start: string) {
  return (await store.audit.read(1, 1_000)).filter(({ event }) => event.startsWith(start));
}

for (const kind of inTurn(['SQLite', 'Redis'] as const, 1)) {
  describe(`a route that is set in Slack, on ${kind}`, () => {
    it('applies to the next call and to a pending one', async (t) => {
      const desk = await open(t, ASK, kind);
      const before = await askToPay(desk, 5);
      assert.deepEqual(before.route?.approvers, ['requester']);
      assert.equal((await desk.routes.set({ by: ADMIN, seen: 0, draft: ROUTE })).kind, 'saved');
      await desk.decide(before, REQUESTER);
      const [back] = await desk.calls();
      assert.equal(back?.status, 'pending');
      assert.match(
        plainSentence(back?.note ?? ''),
        /The route has changed: other people may decide/,
      );
      assert.deepEqual(desk.paid, []);
      await desk.decide(back ?? before, APPROVER);
      assert.deepEqual(desk.paid, [5]);

      const next = await askToPay(desk, 6);
      assert.equal(next.route?.name, 'fin');
      await desk.decide(next, APPROVER);
      assert.deepEqual(desk.paid, [5, 6]);
      const gate = (await audited(desk, 'call.gate')).at(-1);
      assert.match(String(gate?.detail.rule), /the route “fin” set in Slack$/);
    });

    it('keeps every change when many admins save at once', async (t) => {
      const desk = await open(t, ASK, kind);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const outcomes = await Promise.all(
        names.map((name, i) =>
          desk.routes.set({
            by: i % 2 === 0 ? ADMIN : OTHER,
            seen: 0,
            draft: { ...ROUTE, name, tools: [`${name}_*`] },
          }),
        ),
      );
      assert.deepEqual(
        outcomes.map((each) => each.kind),
        names.map(() => 'saved'),
      );
      const { revision, routes } = await desk.store.routes.read();
      assert.equal(revision, 5);
      assert.deepEqual(routes.map(({ name }) => name).sort(), names);
      assert.equal((await audited(desk, 'route.add')).length, 5);
    });
  });
}

describe('a route that is set in Slack beside a policy file', () => {
  it('tightens a rule that names a route, and never weakens a rule that refuses', async (t) => {
    const desk = await open(t, RULED);
    const draft = { ...ROUTE, decisions: ['approve'], quorum: 2, requiresReason: true } as const;
    const strict = { ...draft, approvers: [...ROUTE.approvers, 'user:U3'] } as const;
    const saved = await desk.routes.set({ by: ADMIN, seen: 0, draft: strict });
    assert.equal(saved.kind, 'saved');
    const call = await askToPay(desk, 5);
    const { approvers, channel, deadlineMs, decisions, name, quorum } = call.route ?? {};
    assert.deepEqual(
      { approvers, channel, deadlineMs, decisions, name, quorum },
      {
        approvers: strict.approvers,
        channel: 'C0OPS',
        deadlineMs: 3_600_000,
        decisions: ['approve'],
        name: 'ops + fin',
        quorum: 2,
      },
    );
    assert.equal((await askToPay(desk, 500)).status, 'refused');
  });

  it('is not saved if it would weaken a rule: each field names the rule and what it requires', async (t) => {
    const desk = await open(t, RULED);
    const draft: AdminRouteDraft = {
      ...ROUTE,
      approvers: ['user:U9'],
      selfApproval: true,
      allowsGuests: true,
      deadlineMs: 8 * 3_600_000,
      channel: 'C0OTHER',
      escalate: { afterMs: 60_000, to: 'requester' },
      tools: ['*'],
    };
    const outcome = await desk.routes.set({ by: ADMIN, seen: 0, draft });
    assert.equal(outcome.kind, 'invalid');
    const told = outcome.kind === 'invalid' ? outcome.problems : [];
    const start = 'This would loosen rule 3, line 7 of the policy file:';
    assert.deepEqual(Object.fromEntries(told.map(({ field, message }) => [field, message])), {
      quorum: `${start} it asks for two approvals.`,
      counts: `${start} it does not count approvals of one’s own calls.`,
      decisions: `${start} it does not allow “edit”, “reply”.`,
      deadline: `${start} its deadline is 4h.`,
      approvers: `${start} it names other approvers.`,
      channel: `${start} it sends its cards to another channel.`,
      escalateTo: `${start} only the file can set where its calls escalate.`,
      tools: 'This would loosen rule 1, line 5 of the policy file: it refuses “refund”.',
    });
    assert.equal((await desk.store.routes.read()).revision, 0);
    assert.deepEqual(await audited(desk, 'route.'), []);
  });

  it('overrides the file with slackMayLoosen, but never lets a call run without asking', async (t) => {
    const desk = await open(t, `${RULED}slackMayLoosen: true\n`);
    const saved = await desk.routes.set({ by: ADMIN, seen: 0, draft: ROUTE });
    assert.equal(saved.kind, 'saved');
    const call = await askToPay(desk, 500);
    assert.equal(call.status, 'pending');
    assert.equal(call.route?.name, 'fin');
  });

  it('makes calls ask that would run without asking', async (t) => {
    const desk = await open(t, 'version: 1\nrules:\n  - { tools: ["*"], gate: run }\n');
    await desk.routes.set({ by: ADMIN, seen: 0, draft: ROUTE });
    assert.equal((await askToPay(desk, 5)).status, 'pending');
  });
});

describe('the routes of Slack', () => {
  it('delay calls while they cannot be read, and nobody is asked meanwhile', async (t) => {
    const trouble = { isThere: true };
    const desk = await buildPolicyDesk(t, {
      policy: RULED,
      routes: {
        async read() {
          if (trouble.isThere) throw new Error('Its JSON is damaged.');
          return { revision: 0, routes: [], removed: [] };
        },
      },
    });
    let turn = 0;
    desk.model.script(() => {
      turn += 1;
      return turn === 1 ? sayCalls([{ name: 'pay', args: '{"amount":500}' }]) : sayText('Done.');
    });
    await desk.send('Pay, please.');
    assert.deepEqual(
      (await desk.calls()).map(({ status }) => status),
      ['proposed'],
    );
    trouble.isThere = false;
    await desk.clock.advance(60_000);
    assert.deepEqual(
      (await desk.calls()).map(({ status }) => status),
      ['refused'],
    );
  });

  it('can be changed only by current admins; attempts of others are audited', async (t) => {
    const desk = await open(t);
    const { routes } = desk;
    for (const by of [REQUESTER, APPROVER]) {
      assert.equal((await routes.list(by)).kind, 'not-allowed');
      assert.equal((await routes.set({ by, seen: 0, draft: ROUTE })).kind, 'not-allowed');
      assert.equal((await routes.remove({ by, seen: 0, name: 'fin' })).kind, 'not-allowed');
    }
    assert.equal((await audited(desk, 'control.not-allowed')).length, 6);
    desk.directory.failWith(new Error('Slack is away.'));
    assert.equal((await routes.set({ by: ADMIN, seen: 0, draft: ROUTE })).kind, 'not-allowed');
    assert.equal((await desk.store.routes.read()).revision, 0);
  });

  it('name who saved first, and overwrite nothing', async (t) => {
    const { routes, store } = await open(t);
    await routes.set({ by: ADMIN, seen: 0, draft: ROUTE });
    const again = await routes.set({ by: OTHER, seen: 0, draft: { ...ROUTE, quorum: 1 } });
    assert.deepEqual(again, {
      kind: 'changed-meanwhile',
      how: 'added',
      by: ADMIN,
      byName: 'Ada',
      at: 1_700_000_000_000,
    });
    const same = await routes.set({ by: OTHER, seen: 1, draft: ROUTE });
    assert.equal(same.kind, 'unchanged');
    await routes.set({ by: ADMIN, seen: 1, draft: { ...ROUTE, deadlineMs: 60_000 } });
    const late = await routes.remove({ by: OTHER, seen: 1, name: 'fin' });
    assert.equal(late.kind === 'changed-meanwhile' && late.how, 'changed');
    assert.equal((await routes.remove({ by: ADMIN, seen: 2, name: 'fin' })).kind, 'saved');
    const gone = await routes.set({ by: OTHER, seen: 2, draft: ROUTE });
    assert.equal(gone.kind === 'changed-meanwhile' && gone.how, 'removed');
    assert.deepEqual((await store.routes.read()).routes, []);
  });

  it('are announced in the old and the new channel, and audited with before and after', async (t) => {
    const desk = await open(t);
    const { routes, store, chat } = desk;
    const said = (channel: string) =>
      chat.said
        .filter(({ thread }) => thread === channelKey({ team: ADMIN.team, channel }))
        .map(({ text }) => text);
    await routes.set({ by: ADMIN, seen: 0, draft: { ...ROUTE, channel: 'C1' } });
    await routes.set({ by: ADMIN, seen: 1, draft: { ...ROUTE, channel: 'C2', quorum: 1 } });
    await routes.remove({ by: ADMIN, seen: 2, name: 'fin' });
    desk.worker.nudge();
    await desk.worker.idle();
    assert.equal(said('C1').length, 2);
    assert.match(said('C1')[0] ?? '', /^U0ADMIN has set up the route “fin”:\n• Tools: pay\n/);
    assert.equal(said('C1')[1], 'U0ADMIN has changed the route “fin”:\n• Card: in C1 → in C2');
    assert.equal(said('C2')[0], said('C1')[1]);
    assert.match(said('C2')[1] ?? '', /^U0ADMIN has removed the route “fin”\./);
    const entries = await store.audit.read(1, 100);
    const [add, change, remove] = entries.filter(({ event }) => event.startsWith('route.'));
    assert.deepEqual(add?.detail, {
      revision: 1,
      before: null,
      after: { ...ROUTE, channel: 'C1' },
    });
    assert.deepEqual(change?.detail.before, add?.detail.after);
    assert.deepEqual(remove?.detail, { revision: 3, before: change?.detail.after, after: null });
    assert.equal(remove?.actor, `${ADMIN.team}/${ADMIN.user}`);
  });

  it('cannot be removed while another escalates to them, and cannot lead back to themselves', async (t) => {
    const { routes } = await open(t);
    await routes.set({ by: ADMIN, seen: 0, draft: { ...ROUTE, tools: [] } });
    const escalate = { afterMs: 60_000, to: 'fin' };
    const first = { ...ROUTE, name: 'first', escalate };
    assert.equal((await routes.set({ by: ADMIN, seen: 0, draft: first })).kind, 'saved');
    const removed = await routes.remove({ by: ADMIN, seen: 1, name: 'fin' });
    assert.deepEqual(removed, { kind: 'in-use', by: ['first'] });
    const back = { ...ROUTE, tools: [], escalate: { afterMs: 60_000, to: 'first' } };
    const circle = await routes.set({ by: ADMIN, seen: 1, draft: back });
    assert.deepEqual(circle, {
      kind: 'invalid',
      problems: [{ field: 'escalateTo', message: 'This escalation leads back to the same route.' }],
    });
  });
});
