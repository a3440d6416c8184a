import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import { StoreUnavailableError } from '../../../src/domain/ports/store.ts';
import { createStrictSerializer } from '../../../src/stores/checkpoints/strict-serializer.ts';
import { CompactRedisSaver } from '../../../src/stores/redis/compact-redis-saver.ts';
import {
  connectRedis,
  type RedisConnection,
} from '../../../src/stores/redis/connection/connect-redis.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { checkpointerSpec, FenceGivingSaver } from '../../support/store/checkpointer-spec.ts';
import { aDraft, aMessage, eventsOf } from '../../support/store/contract/contract-store.ts';
import {
  type ClusterNode,
  type RedisCluster,
  startCluster,
} from '../../support/store/redis-cluster.ts';
import { saverContract } from '../../support/store/saver-contract.ts';
import { storeContract } from '../../support/store/store-contract.ts';
import { until } from '../../support/until.ts';
import { openerOf, SILENT } from './open-store.ts';

const { start, stop, openStore, server, url } = openerOf(startCluster);
const clock = createManualClock();
let connection: RedisConnection;
let count = 0;

before(async () => {
  await start();
  connection = await connectRedis({ url: url(), clock, log: SILENT });
});
after(async () => {
  await connection.close();
  await stop();
});

storeContract('A Redis cluster', async (manual) => {
  count += 1;
  const prefix = `contract${count}`;
  const open = () => createRedisStore({ url: url(), prefix, clock: manual, log: SILENT });
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    cleanup: () => store.close(),
  };
});

describe('the saver on a cluster', () => saverContract(openStore));

checkpointerSpec(
  'CompactRedisSaver on a cluster',
  async () => {
    count += 1;
    return new FenceGivingSaver(
      new CompactRedisSaver(connection, `spec${count}`, createStrictSerializer()),
      async () => 1,
    );
  },
  async () => {},
);

test('a process is notified on any node of tasks that another process adds', async (t) => {
  let heard = 0;
  const { prefix } = await openStore(t, { onWake: () => (heard += 1) });
  for (const { port } of server().masters) {
    const before = heard;
    const other = await createRedisStore({
      url: `redis://127.0.0.1:${port}`,
      prefix,
      clock,
      log: SILENT,
    });
    t.after(() => other.close());
    await other.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 1 }]);
    await until(() => heard > before);
  }
});

/** Starts the migration of a slot on both nodes, and returns how to move some of its keys and how to finish. */
async function beginMove({ masters, ownerOf }: RedisCluster, key: string) {
  const from = await ownerOf(key);
  const to = masters.find(({ id }) => id !== from.id);
  assert.ok(to);
  const slot = String(await from.send('CLUSTER', 'KEYSLOT', key));
  await to.send('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.send('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  return {
    keys: (await from.send('CLUSTER', 'GETKEYSINSLOT', slot, '100000')) as readonly string[],
    async move(keys: readonly string[]) {
      const target = ['127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys];
      assert.equal(await from.send('MIGRATE', ...target), 'OK');
    },
    /** Waits until the new node has refused a few more scripts, or `isOver` says that none will come. */
    async refusals(isOver: () => boolean) {
      const count = async () => {
        const stats = String(await to.send('INFO', 'commandstats'));
        return Number(/cmdstat_evalsha:.*rejected_calls=(\d+)/.exec(stats)?.[1] ?? 0);
      };
      const before = await count();
      await until(async () => isOver() || (await count()) > before);
    },
    async end() {
      const left = await from.send('CLUSTER', 'GETKEYSINSLOT', slot, '100000');
      assert.deepEqual(left, []);
      for (const node of [to, ...masters]) {
        await node.send('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
      }
    },
  };
}

test('during a slot migration nothing reads or writes partial data; work continues at the new node', async (t) => {
  const { store, prefix } = await openStore(t);
  await store.inbox.receive(aMessage('1.000100'), { audit: [aDraft('before')] });
  const moving = await beginMove(server(), `${prefix}:{desk}`);
  const half = moving.keys.length / 2;
  assert.ok(half > 2);
  const results: PromiseSettledResult<unknown>[] = [];
  let isMoved = false;
  const attempt = async () => {
    while (!isMoved) {
      const both = [
        store.inbox.receive(aMessage('2.000100'), { audit: [aDraft('between')] }),
        store.inbox.waiting(THREAD),
      ];
      results.push(...(await Promise.allSettled(both)));
    }
  };
  const attempts = attempt();
  const isDone = () => results.some(({ status }) => status === 'fulfilled');
  // None moved, some moved, all moved: each time another node would have answered.
  for (const part of [[], moving.keys.slice(0, half), moving.keys.slice(half)]) {
    if (part.length > 0) await moving.move(part);
    await moving.refusals(isDone);
  }
  isMoved = true;
  await attempts;
  for (const result of results) {
    assert.equal(result.status, 'rejected');
    const reason: unknown = result.status === 'rejected' && result.reason;
    assert.ok(reason instanceof StoreUnavailableError, String(reason));
    assert.equal(reason.fate, 'not-done');
  }
  await moving.end();
  const third = store.inbox.receive(aMessage('2.000100'), { audit: [aDraft('after')] });
  assert.equal(await third, 'new');
  assert.equal((await store.inbox.waiting(THREAD)).length, 2);
  assert.deepEqual(await eventsOf(store), ['before', 'after']);
});

test('when a master dies, its replica takes over and the store continues with all its data', async (t) => {
  const cluster = await startCluster({ withReplicas: true });
  t.after(() => cluster.stop());
  let heard = 0;
  const open = (onWake?: () => void) =>
    createRedisStore({
      url: cluster.url,
      prefix: 'p',
      clock,
      log: SILENT,
      ...(onWake && { onWake }),
    });
  const [store, other] = [await open(), await open(() => (heard += 1))];
  t.after(() => Promise.all([store.close(), other.close()]));
  await store.audit.append([aDraft('before')]);
  const owner = await cluster.ownerOf('p:{desk}');
  await until(async () => (await replicationOffsets(owner)).size === 1);
  await owner.kill();
  // Its data is unavailable until the others have agreed that it is dead.
  await until(() => store.audit.append([aDraft('after')]).then(() => true, isUnavailable));
  assert.deepEqual(await eventsOf(other), ['before', 'after']);
  await store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 1 }]);
  await until(() => heard > 0);
});

/** The replication offsets of a master and its replicas. */
async function replicationOffsets(master: ClusterNode): Promise<ReadonlySet<string>> {
  const info = String(await master.send('INFO', 'replication'));
  const found = info.matchAll(/(?:^master_repl_offset:|^slave\d.*offset=)(\d+)/gm);
  return new Set([...found].map(([, offset = '']) => offset));
}

function isUnavailable(error: unknown): false {
  assert.ok(error instanceof StoreUnavailableError, String(error));
  return false;
}
