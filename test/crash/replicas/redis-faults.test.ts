/** The effects of a failing Redis on the store and on running work: requests are refused, it recovers by itself, and nothing is lost or done twice. */
import assert from 'node:assert/strict';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from 'redis';
import { createCallWatch } from '../../../src/desk/external/watch-calls.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { advanceTurnKey, type Lease } from '../../../src/domain/ports/agenda.ts';
import { StaleFenceError, StoreUnavailableError } from '../../../src/domain/ports/store.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createRedisStore, type RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { createReplica, threadOf } from '../../support/desk/replica.ts';
import { type FaultProxy, startFaultProxy } from '../../support/servers/fault-proxy.ts';
import { createMockModel, sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { aDraft, aMessage, eventsOf } from '../../support/store/contract/contract-store.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';

const silent = () => {};
const LOG = { debug: silent, info: silent, warn: silent, error: silent };
/** Slack waits three seconds; the rest is a margin for the machine. */
const BOUND_MS = 3_500;

let server: RedisServer;
let proxy: FaultProxy;
let prefixes = 0;

before(async () => {
  server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  proxy = await startFaultProxy({ path: server.url.slice('unix://'.length) });
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

function openStore(onWake?: () => void): Promise<RedisStore> {
  prefixes += 1;
  return createRedisStore({
    url: `redis://127.0.0.1:${proxy.port}`,
    prefix: `p${prefixes}`,
    clock: createSystemClock(),
    log: LOG,
    ...(onWake && { onWake }),
  });
}

const sendCommand = (...command: readonly string[]) => sendCommandTo(server, ...command);

async function sendCommandTo({ url }: RedisServer, ...command: readonly string[]): Promise<void> {
  const path = url.slice('unix://'.length);
  const client = createClient({ socket: { path } });
  await client.connect();
  await client.sendCommand([...command]);
  await client.disconnect();
}

const receive = ({ inbox }: RedisStore) =>
  inbox.receive(aMessage('1.000100'), { audit: [aDraft('received')] });

async function failsInTime(work: Promise<unknown>): Promise<StoreUnavailableError> {
  const startedAt = performance.now();
  const error = await work.then(
    () => assert.fail('It was done.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreUnavailableError, String(error));
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < BOUND_MS, `it took ${Math.round(tookMs)} ms`);
  return error;
}

/** How long Redis is away while a tool ends: no time in CI; `CUT_MS=30000` is the full measure. */
const CUT_MS = Number(process.env.CUT_MS ?? 0);

async function waitFor(ms: number): Promise<void> {
  const endsAt = performance.now() + ms;
  await until(() => performance.now() >= endsAt, 100);
}

test('a Redis that crashes and restarts keeps its data, and requests made meanwhile run once', async (t) => {
  const store = await openStore();
  t.after(() => store.close());
  await store.audit.append([aDraft('before')]);
  const [asked] = await Promise.all([receive(store).catch(() => 'refused'), server.restart()]);
  assert.match(asked, /new|refused/);
  await until(
    () =>
      receive(store).then(
        () => true,
        () => false,
      ),
    20,
  );
  assert.deepEqual(await eventsOf(store), ['before', 'received']);
});

test('a paused or unreachable Redis times out, makes the app not ready, and recovers by itself', async (t) => {
  const store = await openStore();
  t.after(() => store.close());
  await store.check();
  const faults: readonly (() => Promise<void> | void)[] = [
    () => sendCommand('CLIENT', 'PAUSE', '3500', 'ALL'),
    () => proxy.blackHole(),
    () => proxy.cut(),
  ];
  for (const fault of faults) {
    await fault();
    const [written, checked] = await Promise.all([
      failsInTime(receive(store)),
      failsInTime(store.check()),
    ]);
    assert.match(written.message, /Redis does not answer/);
    assert.match(checked.message, /Redis does not answer/);
    proxy.heal();
    await until(
      () =>
        store.check().then(
          () => true,
          () => false,
        ),
      20,
    );
  }
  await receive(store);
  assert.deepEqual(await eventsOf(store), ['received']);
  assert.equal((await store.inbox.waiting(THREAD)).length, 1);
});

test('a slow Redis that still answers stays connected', async (t) => {
  const store = await openStore();
  t.after(() => store.close());
  await store.check();
  proxy.delay(200);
  t.after(() => proxy.heal());
  assert.equal(await receive(store), 'new');
});

test('a Redis reconfigured to evict data makes the app not ready, with the reason', async (t) => {
  const store = await openStore();
  t.after(() => store.close());
  await sendCommand('CONFIG', 'SET', 'maxmemory', '100mb');
  await sendCommand('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await assert.rejects(store.check(), /Set maxmemory-policy to noeviction/);
  await sendCommand('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await store.check();
  await sendCommand('CONFIG', 'SET', 'maxmemory', '1');
  await assert.rejects(store.check(), /out of memory/);
  await sendCommand('CONFIG', 'SET', 'maxmemory', '0');
  await store.check();
});

test('a Redis that becomes read-only is disconnected, and one that lacks its replicas is unavailable', async (t) => {
  const [old, young] = [await startRedis(), await startRedis()];
  const address = await makeTempDir();
  const path = join(address.path, 'redis.sock');
  const linkTo = async ({ url }: RedisServer) => {
    await rm(path, { force: true });
    await symlink(url.slice('unix://'.length), path);
  };
  await linkTo(old);
  const clock = createSystemClock();
  const store = await createRedisStore({ url: `unix://${path}`, prefix: 'p', clock, log: LOG });
  t.after(async () => {
    await store.close();
    await Promise.all([old.stop(), young.stop(), address.remove()]);
  });
  await sendCommandTo(old, 'CONFIG', 'SET', 'min-replicas-to-write', '1');
  const error = await failsInTime(receive(store));
  assert.match(error.message, /too few of its replicas/);
  assert.equal(error.fate, 'not-done');
  await sendCommandTo(old, 'REPLICAOF', '127.0.0.1', '1');
  await linkTo(young);
  const { agenda } = store;
  assert.deepEqual(await agenda.claim(clock.now(), 1_000, 3), { leases: [], next: undefined });
});

test('a client waiting for a call sees its changes even if Redis lost its newest records', async (t) => {
  const forgetful = await startRedis();
  t.after(() => forgetful.stop());
  const clock = createSystemClock();
  const store = await createRedisStore({ url: forgetful.url, prefix: 'p', clock, log: LOG });
  t.after(() => store.close());
  const appendEvent = (subject: string) =>
    store.audit.append([{ ...aDraft('call.approve'), subject }]).catch(() => undefined);
  const watch = createCallWatch({ audit: store.audit, clock, log: LOG });
  t.after(() => watch.stop());
  let heard = 0;
  await appendEvent('call_of_before');
  await sendCommandTo(forgetful, 'SAVE');
  await watch.watch('call_a', () => (heard += 1));
  for (let i = 0; i < 3; i += 1) await appendEvent('call_a');
  await until(() => heard === 3, 10);
  await forgetful.restart();
  await until(async () => (await store.audit.newest().catch(() => undefined)) === 1, 10);
  await until(() => heard > 3, 10);
  for (let i = 0; i < 3; i += 1) await appendEvent('call_b');
  const before = heard;
  await appendEvent('call_a');
  await until(() => heard > before, 10);
});

test('a worker whose lease Redis lost does not act as the current owner of the thread', async (t) => {
  const forgetful = await startRedis();
  t.after(() => forgetful.stop());
  const clock = createSystemClock();
  const open = () => createRedisStore({ url: forgetful.url, prefix: 'p', clock, log: LOG });
  const [one, other] = [await open(), await open()];
  t.after(() => Promise.all([one.close(), other.close()]));
  await one.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 1 }]);
  await sendCommandTo(forgetful, 'SAVE');
  const lost = await claimOne(one.agenda, clock.now(), 60_000);
  assert.ok(lost);
  await forgetful.restart();
  const isBack = (error: unknown) => !(error instanceof StoreUnavailableError);
  await until(() => other.agenda.nextDueAt().then(() => true, isBack), 10);
  const held = await claimOne(other.agenda, clock.now(), 60_000);
  assert.ok(held);
  const fenced = ({ fence: token }: Lease) => ({ thread: THREAD, token });
  await assert.rejects(one.outbox.add([], [], fenced(lost)), StaleFenceError);
  assert.equal(await one.agenda.renew(lost, clock.now(), 60_000), undefined);
  await other.outbox.add([], [], fenced(held));
});

test('a tool that ends while Redis is away has its result recorded once later, and nobody is asked', async (t) => {
  const tool = createRecordedTool();
  const model = await createMockModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? sayText('Done.')
      : sayCalls([{ name: 'act', args: '{"note":"x"}' }]),
  );
  t.after(() => model.stop());
  const replica = await createReplica({
    openStore,
    modelUrl: model.url,
    tools: [tool.definition],
    gate: () => ({ kind: 'ask', route: REQUESTER_ROUTE }),
  });
  t.after(() => replica.stop());
  const { desk, store, worker } = replica;
  const thread = threadOf(1);
  const callNow = async () => (await store.ledger.ofThread(thread))[0];
  worker.start();
  await replica.ask(thread, 'act');
  await until(async () => (await callNow())?.status === 'pending', 10);
  const call = await callNow();
  assert.ok(call);
  const release = tool.hold();
  const bound = { callId: call.id, attempt: call.attempt, digest: shortDigest(call.digest) };
  const decide = () =>
    desk.decide({ ...bound, by: REQUESTER, decision: { kind: 'approve' } as const });
  proxy.loseNextAnswer();
  assert.equal((await decide()).kind, 'decided');
  await until(() => tool.runs.length > 0, 10);
  proxy.cut();
  release();
  const late = await failsInTime(decide());
  assert.equal(late.fate, 'not-done');
  await waitFor(CUT_MS);
  proxy.heal();
  await until(async () => (await callNow().catch(() => undefined))?.status === 'succeeded', 20);
  assert.equal(tool.runs.length, 1);
  const again = await decide();
  assert.equal(again.kind, 'already-decided');
  assert.deepEqual(again.kind === 'already-decided' && again.call.verdict?.by, REQUESTER);
});
