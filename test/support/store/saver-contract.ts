import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  INTERRUPT,
  interrupt,
  isInterrupted,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ERROR, emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import type { ThreadFence } from '../../../src/domain/ports/agenda.ts';
import { StaleFenceError, type Store } from '../../../src/domain/ports/store.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { holdThread, LEASE_MS } from './contract/contract-store.ts';

/** An empty store with the saver for the checkpoints of its threads; closed with the test. */
export type OpenSaver = (t: TestContext) => Promise<{
  readonly store: Store & { readonly saver: BaseCheckpointSaver };
  readonly clock: ManualClock;
}>;

const METADATA = { source: 'update', step: -1, parents: {} } as const;

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  odd: Annotation<unknown>,
});

type SavedStore = Awaited<ReturnType<OpenSaver>>['store'];

function graphOf(store: SavedStore, work: () => unknown = () => 'done') {
  return new StateGraph(State)
    .addNode('ask', () => ({ log: [String(interrupt('may I?'))] }))
    .addNode('act', () => ({ odd: work() }))
    .addEdge(START, 'ask')
    .addEdge('ask', 'act')
    .addEdge('act', END)
    .compile({ checkpointer: store.saver });
}

function configOf({ thread, token }: ThreadFence) {
  return { configurable: { thread_id: thread, fence_token: token }, durability: 'sync' as const };
}

/** Tests what every saver of ours promises beyond the official suite. */
export function saverContract(open: OpenSaver): void {
  async function openHeld(t: TestContext) {
    const { store, clock } = await open(t);
    const fence = await holdThread({ store, clock });
    const loseIt = async (): Promise<ThreadFence> => {
      await clock.advance(LEASE_MS);
      return holdThread({ store, clock });
    };
    return { store, clock, fence, loseIt };
  }

  test('any owner of the thread can interrupt and resume a graph', async (t) => {
    const { store, fence, loseIt } = await openHeld(t);
    const graph = graphOf(store);
    const asked: unknown = await graph.invoke({ log: ['start'] }, configOf(fence));
    assert.ok(isInterrupted(asked));
    assert.equal(asked[INTERRUPT][0]?.value, 'may I?');
    const young = await loseIt();
    const done = await graph.invoke(new Command({ resume: 'yes' }), configOf(young));
    assert.deepEqual(done.log, ['start', 'yes']);
  });

  test('a worker that lost the thread changes none of its checkpoints', async (t) => {
    const { store, fence, loseIt } = await openHeld(t);
    const graph = graphOf(store);
    await graph.invoke({ log: ['start'] }, configOf(fence));
    const young = await loseIt();
    const before = await graph.getState(configOf(young));
    await assert.rejects(
      graph.invoke(new Command({ resume: 'no' }), configOf(fence)),
      StaleFenceError,
    );
    await assert.rejects(graph.invoke({ log: ['other'] }, configOf(fence)), StaleFenceError);
    await assert.rejects(graph.updateState(configOf(fence), { log: ['x'] }), StaleFenceError);
    assert.deepEqual(await graph.getState(configOf(young)), before);
    const done = await graph.invoke(new Command({ resume: 'yes' }), configOf(young));
    assert.deepEqual(done.log, ['start', 'yes']);
  });

  test('a worker that loses the thread while it works is stopped at its next write', async (t) => {
    const { store, fence, loseIt } = await openHeld(t);
    const taken: ThreadFence[] = [];
    const graph = new StateGraph(State)
      .addNode('act', async () => {
        const young = await loseIt();
        // The newer worker reads the thread before the older one continues.
        await graph.getState(configOf(young));
        taken.push(young);
        return { odd: 'late' };
      })
      .addEdge(START, 'act')
      .addEdge('act', END)
      .compile({ checkpointer: store.saver });
    await assert.rejects(graph.invoke({ log: ['start'] }, configOf(fence)), StaleFenceError);
    const [young] = taken;
    assert.ok(young);
    const state = await graph.getState(configOf(young));
    assert.equal(state.values.odd, undefined);
  });

  test('the fence is not stored', async (t) => {
    const { store, fence } = await openHeld(t);
    await graphOf(store).invoke({ log: ['start'] }, configOf(fence));
    for await (const { config, metadata } of store.saver.list(configOf(fence))) {
      assert.doesNotMatch(JSON.stringify({ config, metadata }), /fence/);
    }
  });

  test('a write without a fence, a thread or a checkpoint is rejected', async (t) => {
    const { store, fence } = await openHeld(t);
    const { saver } = store;
    const { configurable } = configOf(fence);
    const put = (patch: Record<string, unknown>) =>
      saver.put({ configurable: { ...configurable, ...patch } }, emptyCheckpoint(), METADATA, {});
    await assert.rejects(put({ fence_token: undefined }), /fence_token is missing/);
    await assert.rejects(put({ fence_token: String(fence.token) }), /fence_token is missing/);
    await assert.rejects(put({ thread_id: undefined }), /thread_id is missing/);
    const writes = saver.putWrites({ configurable }, [['log', ['x']]], 'task');
    await assert.rejects(writes, /checkpoint_id is missing/);
    assert.equal(await saver.getTuple({ configurable }), undefined);
  });

  test('a BigInt is rejected with its place instead of being replaced', async (t) => {
    const { store, fence } = await openHeld(t);
    const { saver } = store;
    const { configurable } = configOf(fence);
    const checkpoint = emptyCheckpoint();
    const config = await saver.put({ configurable }, checkpoint, METADATA, {});
    const fenced = { configurable: { ...configurable, ...config.configurable } };
    const loop: Record<string, unknown> = { fine: 1 };
    loop.self = loop;
    for (const [value, path] of [
      [1n, 'at its root'],
      [{ a: [{ b: 2n }] }, 'at /a/0/b'],
      [new Map([['k', new Set([3n])]]), 'at /k/0'],
      [new Map([[4n, 'key']]), 'at /4'],
      [{ loop, after: 5n }, 'at /after'],
    ] as const) {
      await assert.rejects(saver.putWrites(fenced, [['odd', value]], 'task'), (error: Error) => {
        assert.ok(error.message.includes(`BigInt ${path}`), error.message);
        return true;
      });
    }
    const values = { ...checkpoint, id: `${checkpoint.id}x`, channel_values: { odd: { n: 6n } } };
    await assert.rejects(
      saver.put(fenced, values, METADATA, { odd: 1 }),
      /BigInt at \/channel_values\/odd\/n/,
    );
    const tuple = await saver.getTuple({ configurable });
    assert.deepEqual([tuple?.checkpoint.id, tuple?.pendingWrites], [checkpoint.id, []]);
  });

  test('results of a task are kept as first written, its interrupts and errors as last written', async (t) => {
    const { store, fence } = await openHeld(t);
    const { saver } = store;
    const { configurable } = configOf(fence);
    const { configurable: stored } = await saver.put(
      { configurable },
      emptyCheckpoint(),
      METADATA,
      {},
    );
    const config = { configurable: { ...configurable, ...stored } };
    for (const round of ['first', 'second']) {
      await saver.putWrites(config, [[INTERRUPT, round]], 'task');
      await saver.putWrites(config, [['log', round]], 'task');
      await saver.putWrites(config, [[ERROR, round]], 'task');
    }
    const { pendingWrites = [] } = (await saver.getTuple(config)) ?? {};
    const writes = pendingWrites.map(([, channel, value]) => [channel, value]);
    assert.deepEqual(Object.fromEntries(writes), {
      [INTERRUPT]: 'second',
      [ERROR]: 'second',
      log: 'first',
    });
    assert.equal(writes.length, 3);
  });

  test('channels that a step did not write, and the pending interrupt, are visible to the next owner', async (t) => {
    const { store, fence, loseIt } = await openHeld(t);
    const make = () =>
      new StateGraph(
        Annotation.Root({ a: Annotation<string>, b: Annotation<string>, c: Annotation<string> }),
      )
        .addNode('write', () => ({ c: 'written last' }))
        .addNode('ask', () => ({ b: String(interrupt({ pay: 900 })) }))
        .addEdge(START, 'write')
        .addEdge('write', 'ask')
        .addEdge('ask', END)
        .compile({ checkpointer: store.saver });
    await make().invoke({ a: 'one', b: 'two', c: 'three' }, configOf(fence));
    const young = await loseIt();
    const state = await make().getState(configOf(young));
    assert.deepEqual(state.values, { a: 'one', b: 'two', c: 'written last' });
    const waiting = state.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value));
    assert.deepEqual(waiting, [{ pay: 900 }]);
    const done = await make().invoke(new Command({ resume: 'yes' }), configOf(young));
    assert.deepEqual(done, { a: 'one', b: 'yes', c: 'written last' });
  });

  test('only the given thread is read and deleted, whatever characters its id contains', async (t) => {
    const { store } = await open(t);
    const ids = [
      'T1:D1',
      'T1:D1:17.01',
      'T1/D1',
      'T1/D1/17.01',
      'a*',
      'a?',
      '[a]',
      '{a}',
      'a}',
      'a b',
      'a\\',
    ];
    for (const thread_id of ids) {
      const configurable = { thread_id, fence_token: await tokenOf(thread_id) };
      await store.saver.put(
        { configurable },
        { ...emptyCheckpoint(), id: thread_id },
        METADATA,
        {},
      );
    }
    const [short, ...others] = ids;
    await store.saver.deleteThread(short ?? '');
    assert.equal(await store.saver.getTuple({ configurable: { thread_id: short } }), undefined);
    for (const thread_id of others) {
      const tuple = await store.saver.getTuple({ configurable: { thread_id } });
      assert.equal(tuple?.checkpoint.id, thread_id);
    }

    async function tokenOf(thread: string): Promise<number> {
      const clock = createManualClock();
      return (await holdThread({ store, clock }, thread as ThreadKey)).token;
    }
  });
}
