import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from 'redis';
import { advanceTurnKey, renderCardKey } from '../../../src/domain/ports/agenda.ts';
import { openForCommand } from '../../../src/stores/open-for-command.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { startFaultProxy } from '../../support/servers/fault-proxy.ts';
import {
  aDraft,
  aMessage,
  eventsOf,
  holdThread,
} from '../../support/store/contract/contract-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';
import { openerOf, SILENT } from './open-store.ts';

const { start, stop, openStore, url } = openerOf(startRedis);

before(start);
after(stop);

async function connectTo(address: string) {
  const client = createClient({ socket: { path: address.slice('unix://'.length) } });
  // Its server may stop first.
  client.on('error', () => {});
  await client.connect();
  return client;
}

const atStart = (address: string) =>
  createRedisStore({ url: address, prefix: 'p', clock: createManualClock(), log: SILENT });

test('a process is notified of tasks that another process adds', async (t) => {
  let heard = 0;
  const { store, prefix } = await openStore(t, { onWake: () => (heard += 1) });
  assert.equal(await store.agenda.nextDueAt(), undefined);
  const other = await openStore(t, { prefix });
  await other.store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 1 }]);
  await until(() => heard > 0);
  assert.equal(await store.agenda.nextDueAt(), 1);
});

test('an agenda whose wake-ups are lost is still polled every second', async (t) => {
  let heard = 0;
  const { clock } = await openStore(t, { onWake: () => (heard += 1) });
  await clock.advance(3_000);
  assert.equal(heard, 3);
});

test('the fence of one process is refused when another owns the thread', async (t) => {
  const { store, clock, prefix } = await openStore(t);
  const other = await openStore(t, { prefix });
  const old = await holdThread({ store, clock });
  await clock.advance(40_000);
  await other.clock.advance(40_000);
  const young = await holdThread(other);
  assert.ok(young.token > old.token);
  await assert.rejects(
    store.outbox.add([], [], old),
    /Refused a write .* another worker holds the unit/,
  );
  await other.store.outbox.add([], [], young);
});

test('reloads scripts that the server has lost', async (t) => {
  const { store } = await openStore(t);
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  await store.audit.append([aDraft('before')]);
  await client.scriptFlush();
  await store.audit.append([aDraft('after')]);
  assert.deepEqual(await eventsOf(store), ['before', 'after']);
});

test('concurrent requests add no scripts to the cache of the server', async (t) => {
  const { store } = await openStore(t);
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  const count = async () => {
    const [, found] = /number_of_cached_scripts:(\d+)/.exec(await client.info('memory')) ?? [];
    return Number(found);
  };
  const reads: readonly (() => Promise<unknown>)[] = [
    () => store.pause.read(),
    () => store.pins.all(),
    () => store.routes.read(),
    () => store.keys.list(),
    () => store.audit.newest(),
    () => store.inbox.hasThread(THREAD),
  ];
  for (const read of reads) await read();
  await Promise.all(reads.map((read) => read()));
  const before = await count();
  for (const [i, one] of reads.entries()) {
    for (const other of reads.slice(i)) await Promise.all([one(), other()]);
  }
  assert.equal(await count(), before);
});

test('a user without a command, the keys or the channel stops the start or makes the app not ready, with the grant to add', async (t) => {
  const { prefix } = await openStore(t);
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  const proxy = await startFaultProxy({ path: url().slice('unix://'.length) });
  t.after(() => proxy.stop());
  const address = `redis://app:pw@127.0.0.1:${proxy.port}`;
  const granted = ['~P:*', '&P:*', '+@read', '+@write', '+@scripting', '+@pubsub', '+@connection'];
  const may = async (...rules: readonly string[]) => {
    const all = ['reset', 'on', '>pw', ...rules, '+info', '+time'];
    const ours = all.map((rule) => rule.replace('P', prefix));
    await client.sendCommand(['ACL', 'SETUSER', 'app', ...ours]);
  };
  const begin = () =>
    createRedisStore({
      url: address,
      prefix,
      clock: createManualClock(),
      log: SILENT,
      onWake: () => {},
    });
  const lacks: readonly (readonly [rules: readonly string[], words: RegExp])[] = [
    [[...granted, '-zadd'], /run ZADD on .*Grant it .*\+@write/],
    [granted.filter((rule) => rule !== '&P:*'), /run PUBLISH on/],
    [['~P:{desk}:*', ...granted.slice(1)], /refuses a command .* ~PREFIX:\*/],
  ];
  for (const [rules, words] of lacks) {
    await may(...rules);
    await assert.rejects(begin(), words);
  }
  await may(...granted);
  const store = await begin();
  t.after(() => store.close());
  assert.equal(await store.inbox.receive(aMessage('1.000100'), {}), 'new');
  await client.sendCommand(['ACL', 'SETUSER', 'app', '-hset']);
  await assert.rejects(store.check(), /run HSET on/);
  const place = { dataDir: '/nowhere', redis: { url: address, prefix } };
  await assert.rejects(openForCommand(place, 'write', SILENT), /run HSET on/);
});

test('a server out of memory rejects whole writes, and recovers when it has memory', async (t) => {
  const full = await startRedis();
  t.after(() => full.stop());
  const store = await createRedisStore({
    url: full.url,
    prefix: 'p',
    clock: createManualClock(),
    log: SILENT,
  });
  t.after(() => store.close());
  const client = await connectTo(full.url);
  t.after(() => client.disconnect());
  await client.configSet('maxmemory', '1');
  const receive = () => store.inbox.receive(aMessage('1.000100'), { audit: [aDraft('got')] });
  await assert.rejects(receive(), /out of memory and takes no writes/);
  assert.deepEqual(await store.inbox.waiting(THREAD), []);
  await client.configSet('maxmemory', '0');
  assert.equal(await receive(), 'new');
  assert.deepEqual(await eventsOf(store), ['got']);
});

test('writes fail at once while the connection is down, and it reconnects by itself', async (t) => {
  const { store } = await openStore(t);
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
  await until(async () => {
    const outcome = await store.audit.append([aDraft('again')]).then(
      () => 'written',
      () => 'refused',
    );
    return outcome === 'written';
  });
  const events = await eventsOf(store);
  assert.equal(events.at(-1), 'again');
});

test('an unsuitable server stops the start, with the remedy', async (t) => {
  const evicting = await startRedis(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru']);
  t.after(() => evicting.stop());
  await assert.rejects(atStart(evicting.url), /Set maxmemory-policy to noeviction/);
  await assert.rejects(atStart('unix:///nowhere/redis.sock'), /REDIS_URL .* can't be reached/);
  await assert.rejects(
    atStart('redis://user:secret@127.0.0.1:1'),
    (error: Error) => /can't be reached/.test(error.message) && !error.message.includes('secret'),
  );
});

test('a clock that differs from that of Redis makes the app not ready', async (t) => {
  const { store } = await openStore(t);
  await assert.rejects(store.check(), /clock is \d+ ms off/);
});

test('data of another version stops the start and stays unchanged', async (t) => {
  const { prefix, store } = await openStore(t);
  await store.close();
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  for (const [version, why] of [
    [
      '8',
      /data in Redis was written by .* from before its first release: its version is 8.*Nothing was changed.*another REDIS_PREFIX/,
    ],
    ['999', /written by a newer Countersign: its version is 999/],
  ] as const) {
    await client.set(`${prefix}:{desk}:version`, version);
    await assert.rejects(openStore(t, { prefix }), why);
    const place = { dataDir: '/nowhere', redis: { url: url(), prefix } };
    for (const how of ['read', 'write'] as const) {
      await assert.rejects(openForCommand(place, how, SILENT), why);
    }
    assert.equal(await client.get(`${prefix}:{desk}:version`), version);
  }
});

test('a task with damaged numbers does not block others', async (t) => {
  const { store, prefix } = await openStore(t);
  const client = await connectTo(url());
  t.after(() => client.disconnect());
  const [broken, whole] = [renderCardKey(callRef('broken')), renderCardKey(callRef('whole'))];
  await store.agenda.wake([broken, whole].map((key) => ({ key, dueAt: 1 })));
  await client.hSet(`${prefix}:{desk}:t:redraw:broken`, 'do', 'soon some ? x y');
  const { leases } = await store.agenda.claim(10, 1_000, 5);
  assert.ok(leases.some(({ key }) => key.id === 'whole'));
  for (const lease of leases) await store.agenda.backOff(lease, 20, 'failed');
  await store.agenda.wake([{ key: broken, dueAt: 5 }]);
  assert.equal((await store.agenda.claim(30, 1_000, 5)).leases.length, 2);
});
