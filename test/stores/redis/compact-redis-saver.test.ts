import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { RedisSaver } from '@langchain/langgraph-checkpoint-redis';
import { StaleFenceError } from '../../../src/domain/ports/store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { holdThread } from '../../support/store/contract/contract-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { saverContract } from '../../support/store/saver-contract.ts';
import { openerOf } from './open-store.ts';

const { start, stop, openStore } = openerOf(startRedis);
const ABOUT = { source: 'loop', step: 0, parents: {} } as const;

before(start);
after(stop);

saverContract(openStore);

test('is a RedisSaver', async (t) => {
  const { store } = await openStore(t);
  assert.ok(store.saver instanceof RedisSaver);
});

test('rejects a checkpoint whose parent is not the newest', async (t) => {
  const bench = await openStore(t);
  const { token } = await holdThread(bench);
  const { saver } = bench.store;
  const at = (checkpoint_id?: string) => ({
    configurable: {
      thread_id: THREAD,
      fence_token: token,
      ...(checkpoint_id && { checkpoint_id }),
    },
  });
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ ...emptyCheckpoint(), id }));
  assert.ok(a && b && c);
  await saver.put(at(), a, ABOUT);
  await saver.put(at('a'), b, ABOUT);
  await assert.rejects(saver.put(at('a'), c, ABOUT), StaleFenceError);
  assert.equal((await saver.getTuple(at()))?.checkpoint.id, 'b');
  await saver.put(at('b'), c, ABOUT);
});

test('keys of different threads and namespaces never collide, whatever characters they contain', async (t) => {
  const { store } = await openStore(t);
  const { saver } = store;
  const names = ['a', 'a:b', 'a}', '{a', 'a*', 'a?[x]', 'a\\', 'a/b', 'a%3Ab', 'ä', ''];
  const places = names.flatMap((thread) => names.map((ns) => [`t${thread}`, ns] as const));
  for (const [thread_id, checkpoint_ns] of places) {
    const configurable = { thread_id, checkpoint_ns, fence_token: 1 };
    const id = JSON.stringify([thread_id, checkpoint_ns]);
    await saver.put({ configurable }, { ...emptyCheckpoint(), id }, ABOUT);
  }
  for (const [thread_id, checkpoint_ns] of places) {
    const tuple = await saver.getTuple({ configurable: { thread_id, checkpoint_ns } });
    assert.equal(tuple?.checkpoint.id, JSON.stringify([thread_id, checkpoint_ns]));
  }
  await saver.deleteThread('ta');
  let left = 0;
  for await (const { config } of saver.list({})) {
    left += 1;
    assert.notEqual(config.configurable?.thread_id, 'ta');
  }
  assert.equal(left, places.length - names.length);
});

test('restores a checkpoint with more channels than fit on the Lua stack', async (t) => {
  const { store } = await openStore(t);
  const names = Array.from({ length: 9_000 }, (_, index) => `channel${index}`);
  const values = Object.fromEntries(names.map((name) => [name, name]));
  const versions = Object.fromEntries(names.map((name) => [name, 1]));
  const checkpoint = {
    ...emptyCheckpoint(),
    channel_values: values,
    channel_versions: versions,
  };
  const configurable = { thread_id: THREAD, fence_token: 1 };
  await store.saver.put({ configurable }, checkpoint, ABOUT, versions);
  const tuple = await store.saver.getTuple({ configurable });
  assert.deepEqual(tuple?.checkpoint.channel_values, values);
});
