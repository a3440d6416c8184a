import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { digestMessageId } from '../../../src/domain/cards/digest-message.ts';
import { advanceTurnKey, runCallKey, type ThreadFence } from '../../../src/domain/ports/agenda.ts';
import type { Effects } from '../../../src/domain/ports/store.ts';
import { createRedisStore, type RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { type FaultProxy, startFaultProxy } from '../../support/servers/fault-proxy.ts';
import {
  aDraft,
  aMessage,
  aProposal,
  aSay,
  stepTo,
} from '../../support/store/contract/contract-store.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { SILENT } from './open-store.ts';

let server: RedisServer;
let proxy: FaultProxy;

before(async () => {
  server = await startRedis();
  proxy = await startFaultProxy({ path: server.url.slice('unix://'.length) });
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

type Act = (store: RedisStore) => Promise<unknown>;

const effects = (event: string): Effects => ({ audit: [aDraft(event)] });
const fence: ThreadFence = { thread: THREAD, token: 10 };
const lease = { key: advanceTurnKey(THREAD), fence: 10, expiresAt: 0, tries: 0, deaths: 0 };
const first = aMessage('1700000001.000100');
const second = aMessage('1700000002.000100');
const proposal = aProposal();
const pending = stepTo(proposal, 'pending', 'gate');
const approved = stepTo(pending.call, 'approved', 'approve');
const running = stepTo(approved.call, 'running', 'claim');
const turn = { id: first.id, settledAt: 5, messages: [] };
const graph = { thread_id: THREAD, fence_token: 10 };
const checkpoint = { ...emptyCheckpoint(), id: 'a', ts: '2026-01-05T09:00:00.000Z' };
const about = { source: 'loop', step: 0, parents: {} } as const;
const pause = { by: REQUESTER, at: 7 };
const arrival = { channel: 'C9', callId: 'call_a', at: 5, calls: ['user:U2'] as const };
const crowding = { over: 1, windowMs: 1_000, lifeMs: 9_000 };
const digestMessage = digestMessageId({ channel: 'C9', callId: 'call_b' });

/** Every writing method, each with a result that tells whether it was the first, in a valid order. */
const ACTS: Readonly<Record<string, Act>> = {
  'inbox.receive': ({ inbox }) =>
    inbox.receive(first, {
      ...effects('received'),
      wakes: [{ key: advanceTurnKey(THREAD), dueAt: 1 }],
    }),
  'inbox.receive another': ({ inbox }) => inbox.receive(second, effects('received another')),
  'agenda.claim': ({ agenda }) => claimOne(agenda, 10, 1_000),
  'agenda.renew': ({ agenda }) => agenda.renew(lease, 20, 1_000),
  'inbox.begin': ({ inbox }) => inbox.begin(first.id, effects('begun'), fence),
  'ledger.propose': ({ ledger }) => ledger.propose(proposal, effects('proposed'), fence),
  'ledger.write': ({ ledger }) => ledger.write(proposal, [pending], effects('asked')),
  'ledger.write on': ({ ledger }) =>
    ledger.write(pending.call, [approved], {
      ...effects('approved'),
      wakes: [{ key: runCallKey(proposal), dueAt: 30 }],
      outboxMessages: [aSay('s1')],
    }),
  'ledger.write to a run': ({ ledger }) =>
    ledger.write(approved.call, [running], effects('claimed')),
  'reports.keep': ({ reports }) =>
    reports.keep(running.call, { text: 'half', at: 7 }, [
      { key: runCallKey(callRef('r')), dueAt: 9e12 },
    ]),
  'ledger.markDelivered': ({ ledger }) => ledger.markDelivered([proposal.id], fence),
  'ledger.placeCard': ({ ledger }) => ledger.placeCard(proposal.id, { channel: 'C1', ts: '1' }),
  'ledger.placeSideMessage': ({ ledger }) =>
    ledger.placeSideMessage(proposal.id, 'stub', { channel: 'C1', ts: '3' }),
  'digestMessages.registerArrival': ({ digestMessages }) =>
    digestMessages.registerArrival(arrival, crowding),
  'digestMessages.arrive in a crowd': ({ digestMessages }) =>
    digestMessages.registerArrival({ ...arrival, callId: 'call_b' }, crowding),
  'digestMessages.place': ({ digestMessages }) =>
    digestMessages.place(digestMessage, { channel: 'C9', ts: '4' }),
  'digestMessages.removeArrival': ({ digestMessages }) => digestMessages.removeArrival('call_b'),
  'digestMessages.leave the other': ({ digestMessages }) => digestMessages.removeArrival('call_a'),
  'digestMessages.forget': ({ digestMessages }) => digestMessages.forget(digestMessage),
  'outbox.add': ({ outbox }) => outbox.add([aSay('s2')], [], fence),
  'outbox.markSent': ({ outbox }) => outbox.markSent('s1'),
  'outbox.placeLiveMessage': ({ outbox }) =>
    outbox.placeLiveMessage(THREAD, { channel: 'C1', ts: '2' }),
  'saver.put': ({ saver }) => saver.put({ configurable: graph }, checkpoint, about),
  'saver.putWrites': ({ saver }) =>
    saver.putWrites({ configurable: { ...graph, checkpoint_id: 'a' } }, [['x', 1]], 'task'),
  'saver.put on': ({ saver }) =>
    saver.put(
      { configurable: { ...graph, checkpoint_id: 'a' } },
      { ...checkpoint, id: 'b' },
      about,
    ),
  'inbox.stop': ({ inbox }) => inbox.stop(first.id, REQUESTER, 40, effects('stopped')),
  'history.append': ({ history }) => history.append(THREAD, turn, effects('settled'), fence),
  'history.rate': ({ history }) =>
    history.rate(THREAD, first.id, { by: REQUESTER, at: 6, value: 'good' }, effects('rated')),
  'inbox.end': ({ inbox }) => inbox.end(first.id, 'turn', effects('ended'), fence),
  'agenda.wake': ({ agenda }) => agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 50 }]),
  'agenda.backOff': ({ agenda }) => agenda.backOff(lease, 60, 'why'),
  'agenda.claim next': ({ agenda }) => claimOne(agenda, 100, 1_000),
  'agenda.claim what else there is': ({ agenda }) => agenda.claim(100, 1_000, 3),
  'agenda.moveToDeadLetters': ({ agenda }) =>
    agenda.moveToDeadLetters({ ...lease, fence: 100 }, 110, 'poison'),
  'agenda.finish': ({ agenda }) =>
    agenda.finish({ ...lease, key: runCallKey(proposal), fence: 100 }),
  'agenda.wake three': ({ agenda }) =>
    agenda.wake(['a', 'b', 'c'].map((id) => ({ key: runCallKey(callRef(id)), dueAt: 120 }))),
  'agenda.claim three': ({ agenda }) => agenda.claim(130, 1_000, 3),
  'agenda.claim three that are taken': ({ agenda }) => agenda.claim(130, 1_000, 3),
  'pause.write': ({ pause: halt }) => halt.write(pause, effects('paused')),
  'drafts.keep': ({ drafts }) => drafts.keep('d', 'text', 9e12),
  'audit.append': ({ audit }) => audit.append([aDraft('noted')]),
  'history.clear': ({ history }) => history.clear(THREAD, effects('cleared')),
};

/** The content of a store, read through its ports. */
async function tell(store: RedisStore): Promise<unknown> {
  return {
    calls: await store.ledger.ofThread(THREAD),
    count: await store.ledger.count(),
    card: await store.ledger.cardOf(proposal.id),
    sides: await store.ledger.sideMessagesOf(proposal.id),
    digestMessage: await store.digestMessages.read(digestMessage),
    report: await store.reports.of(proposal.id),
    current: await store.inbox.current(THREAD),
    waiting: await store.inbox.waiting(THREAD),
    turns: await store.history.newest(THREAD, 9, 0),
    unsaid: await store.outbox.pendingMessages(THREAD),
    live: await store.outbox.liveMessageOf(THREAD),
    next: await store.agenda.nextDueAt(),
    parked: await store.agenda.deadLetters(),
    pause: await store.pause.read(),
    graph: await store.saver.getTuple({ configurable: graph }),
    // Each installation has its own key.
    audit: (await store.audit.read(1, 99)).map(({ mark: _, ...entry }) => entry),
  };
}

test('every write runs once and returns its result, whichever response is lost', async (t) => {
  const open = async (prefix: string) => {
    const url = `redis://127.0.0.1:${proxy.port}`;
    const store = await createRedisStore({ url, prefix, clock: createManualClock(), log: SILENT });
    t.after(() => store.close());
    return store;
  };
  const calm = await open('calm');
  const stormy = await open('stormy');
  for (const [name, act] of Object.entries(ACTS)) {
    const expected = await act(calm);
    const before = proxy.lost;
    proxy.loseNextAnswer();
    assert.deepEqual(await act(stormy), expected, name);
    assert.equal(proxy.lost, before + 1, `the answer to ${name} was lost`);
    assert.deepEqual(await tell(stormy), await tell(calm), name);
  }
});
