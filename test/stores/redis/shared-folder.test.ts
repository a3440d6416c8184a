import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from 'redis';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { openerOf, SILENT } from './open-store.ts';

const { start, stop, openStore, url } = openerOf(startRedis);
const MARK = '.countersign-workspace';

before(start);
after(stop);

test('replicas with the same folder share it, and one with another folder gets instructions', async (t) => {
  const { store, prefix } = await openStore(t);
  const other = await openStore(t, { prefix });
  const [shared, foreign] = [await makeTempDir(), await makeTempDir()];
  t.after(shared.remove);
  t.after(foreign.remove);
  const answers = await Promise.all([
    store.findSharingProblem(shared.path),
    other.store.findSharingProblem(shared.path),
  ]);
  assert.deepEqual(answers, [undefined, undefined]);
  const mark = await readFile(join(shared.path, MARK), 'utf8');

  const problem = await other.store.findSharingProblem(foreign.path);
  assert.match(problem ?? '', /is missing.*Mount one shared volume/);
  assert(problem?.includes(mark.trim()));
  await writeFile(join(foreign.path, MARK), 'something else\n');
  assert.match((await store.findSharingProblem(foreign.path)) ?? '', /names another one/);
  await writeFile(join(foreign.path, MARK), mark);
  assert.equal(await store.findSharingProblem(foreign.path), undefined);
});

test('a folder keeps its mark on a new Redis, and a folder that lost its mark is refused', async (t) => {
  const first = await openStore(t);
  const folder = await makeTempDir();
  t.after(folder.remove);
  assert.equal(await first.store.findSharingProblem(folder.path), undefined);
  const second = await openStore(t);
  assert.equal(await second.store.findSharingProblem(folder.path), undefined);
  await rm(join(folder.path, MARK));
  assert.match((await second.store.findSharingProblem(folder.path)) ?? '', /is missing/);
});

test('all replicas use one installation key, created by the first', async (t) => {
  const { store, prefix } = await openStore(t);
  const other = await openStore(t, { prefix });
  const keys = await Promise.all(
    [store, other.store].map(({ installationKey }) => installationKey.read()),
  );
  assert.equal(keys[0]?.length, 32);
  assert.deepEqual(keys[0], keys[1]);
  const elsewhere = await openStore(t);
  assert.notDeepEqual(await elsewhere.store.installationKey.read(), keys[0]);
});

test('an installation key that Redis lost is restored by any replica that uses it, and a store with another key is not ready', async (t) => {
  const { clock, prefix, store } = await openStore(t, { onWake: () => {} });
  const key = await store.installationKey.read();
  const client = createClient({ socket: { path: url().slice('unix://'.length) } });
  await client.connect();
  t.after(() => client.disconnect());
  const name = `${prefix}:{desk}:installation-key`;
  await client.del(name);
  await clock.advance(1_000);
  await until(async () => (await client.exists(name)) === 1);
  const other = await openStore(t, { prefix });
  assert.deepEqual(await other.store.installationKey.read(), key);
  const today = await createRedisStore({
    ...{ url: url(), prefix, log: SILENT },
    clock: createSystemClock(),
  });
  t.after(() => today.close());
  await today.installationKey.read();
  await today.check();
  await client.set(name, 'ff'.repeat(32));
  await assert.rejects(today.check(), /not the one that this process started with.*Restart/);
});
