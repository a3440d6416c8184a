/** Two replicas and simultaneous clicks: one result for each call, on both stores. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, type Desk } from '../../../src/desk/desk.ts';
import { type Call, isTerminal } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand } from '../../../src/domain/calls/decision.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { openerOf } from '../../stores/redis/open-store.ts';
import { openStore } from '../../stores/sqlite/open-store.ts';
import { APPROVER, OUTSIDER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { aProposal, holdThread, storeCall } from '../../support/store/contract/contract-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';

const CALLS = 100;
const redis = openerOf(startRedis);
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

interface Replicas {
  readonly store: Store;
  readonly desks: readonly [Desk, Desk];
  /** Stores pending calls on a route of the group. */
  pending(count: number, route?: Partial<Route>): Promise<readonly Call[]>;
}

type Open = (t: TestContext) => Promise<{ readonly stores: readonly [Store, Store]; clock: Clock }>;

const STORES: Readonly<Record<string, Open>> = {
  SQLite: async (t) => {
    const { store, clock } = await openStore(t);
    return { stores: [store, store], clock };
  },
  Redis: async (t) => {
    const first = await redis.openStore(t);
    const second = await redis.openStore(t, { prefix: first.prefix });
    return { stores: [first.store, second.store], clock: first.clock };
  },
};

async function replicasOf(t: TestContext, open: Open): Promise<Replicas> {
  const { stores, clock } = await open(t);
  const directory = createTestDirectory();
  directory.setGroup('usergroup:S1', ['U2', 'U3']);
  const deskOn = (store: Store) =>
    createDesk({
      store,
      toolbox: buildToolbox([]),
      clock,
      signals: createStopSignals(),
      claims: createUnstartedClaims(),
      directory,
      senderPolicy: {},
      integrity: createIntegrityAlarm(log),
      log,
    });
  const [store, other] = stores;
  return {
    store,
    desks: [deskOn(store), deskOn(other)],
    async pending(count, more = {}) {
      const fence = await holdThread({ store, clock } as Parameters<typeof holdThread>[0]);
      const route = { ...REQUESTER_ROUTE, approvers: ['usergroup:S1'], ...more } as const;
      const calls: Call[] = [];
      for (let i = 0; i < count; i += 1) {
        const id = `call_${String(i).padStart(22, '0')}`;
        const draft = { id, toolCallId: `tc_${i}`, digest: '' };
        const digest = callDigestOf(aProposal(draft));
        const patch = { ...draft, digest };
        await storeCall(store, fence, 'proposed', patch);
        calls.push(await openFor(patch, route));
      }
      return calls;

      async function openFor(patch: Partial<Call>, to: Route): Promise<Call> {
        const proposed = aProposal(patch);
        const call: Call = { ...proposed, status: 'pending', revision: 2, route: to };
        assert.equal(await store.ledger.write(proposed, [{ cause: 'gate', call }], {}), true);
        return call;
      }
    },
  };
}

function commandFor(
  call: Call,
  by: Person,
  decision: DecisionCommand['decision'],
): DecisionCommand {
  return { callId: call.id, attempt: 1, digest: shortDigest(call.digest), by, decision };
}

before(() => redis.start());
after(() => redis.stop());

for (const [name, open] of Object.entries(STORES)) {
  describe(`simultaneous clicks on ${name}`, () => {
    it('give one verdict when one approves and one ignores; the other is told who was first', async (t) => {
      const { store, desks, pending } = await replicasOf(t, open);
      const [one, two] = desks;
      for (const call of await pending(CALLS)) {
        const outcomes = await Promise.all([
          one.decide(commandFor(call, APPROVER, { kind: 'approve' })),
          two.decide(commandFor(call, SECOND_APPROVER, { kind: 'ignore' })),
        ]);
        const kinds = outcomes.map(({ kind }) => kind).sort();
        assert.deepEqual(kinds, ['already-decided', 'decided']);
        const stored = await store.ledger.get(call.id);
        const won = outcomes.find(({ kind }) => kind === 'decided');
        assert.ok(won?.kind === 'decided');
        assert.deepEqual(stored, won.call);
        assert.equal(stored?.status, stored?.verdict?.kind === 'ignore' ? 'ignored' : 'approved');
        assert.equal(stored?.revision, 3);
      }
    });

    it('count different people once each, and never a third who may not decide', async (t) => {
      const { store, desks, pending } = await replicasOf(t, open);
      const [one, two] = desks;
      for (const call of await pending(CALLS, { quorum: 2 })) {
        const approve = { kind: 'approve' } as const;
        await Promise.all([
          one.decide(commandFor(call, APPROVER, approve)),
          two.decide(commandFor(call, APPROVER, approve)),
          two.decide(commandFor(call, OUTSIDER, approve)),
          one.decide(commandFor(call, SECOND_APPROVER, approve)),
        ]);
        const stored = await store.ledger.get(call.id);
        assert.equal(stored?.status, 'approved');
        assert.deepEqual(stored?.votes.map(({ by }) => by.user).sort(), ['U2', 'U3']);
      }
    });

    it('end the call once when one replies and one ignores', async (t) => {
      const { store, desks, pending } = await replicasOf(t, open);
      const [one, two] = desks;
      const calls = await pending(CALLS);
      await Promise.all(
        calls.flatMap((call) => [
          one.decide(commandFor(call, APPROVER, { kind: 'reply', text: 'no' })),
          two.decide(commandFor(call, APPROVER, { kind: 'ignore' })),
        ]),
      );
      const entries = await store.audit.read(1, 10_000);
      const ends = entries.filter(({ event }) => event === 'call.reply' || event === 'call.ignore');
      assert.equal(ends.length, CALLS);
      assert.equal(new Set(ends.map(({ subject }) => subject)).size, CALLS);
      for (const { id } of calls) {
        const stored = await store.ledger.get(id);
        assert.ok(stored && isTerminal(stored));
      }
    });
  });
}
