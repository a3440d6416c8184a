/** A worker that is suspended past its lease, at each point of its work, while another one takes over, and then resumes: nothing is lost, nothing runs twice. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createReplica, type Replica, threadOf } from '../../support/desk/replica.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { effectTools, RUN_ALL } from './stop-points.ts';
import {
  createObedientModel,
  effectsOf,
  endWorker,
  startWorker,
  type WorkerProcess,
} from './worker-process.ts';

const LEASE_MS = 700;
const silent = () => {};
const LOG = { debug: silent, info: silent, warn: silent, error: silent };

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let model: Awaited<ReturnType<typeof createObedientModel>>;

before(async () => {
  folder = await makeTempDir();
  model = await createObedientModel();
});
after(async () => {
  await model.stop();
  await folder.remove();
});

describe('on Redis, with a second worker that takes over, a worker', () => {
  let server: RedisServer;
  let worker: WorkerProcess;
  let effects: string;
  let asked = 0;

  before(async () => {
    server = await startRedis();
    effects = join(folder.path, 'effects-redis');
    const { url } = server;
    worker = await startWorker({
      url,
      prefix: 'p',
      modelUrl: model.url,
      effects,
      leaseMs: LEASE_MS,
    });
    await worker.line('ready');
  });
  after(async () => {
    await endWorker(worker);
    await server.stop();
  });

  /** Sends a message while only the process works, and gives the thread to a second worker once it is suspended. */
  async function suspendWorker(
    t: TestContext,
    text: string,
    stopped: () => Promise<void>,
  ): Promise<{ readonly thread: ThreadKey; readonly second: Replica }> {
    asked += 1;
    const thread = threadOf(asked);
    const second = await createReplica({
      openStore: (onWake) =>
        createRedisStore({
          url: server.url,
          prefix: 'p',
          clock: createSystemClock(),
          log: LOG,
          onWake,
        }),
      modelUrl: model.url,
      tools: effectTools((note, key) => void own.push(`${note} ${key}`)),
      gate: RUN_ALL,
      leaseMs: LEASE_MS,
    });
    t.after(() => second.stop());
    own.length = 0;
    await second.ask(thread, text);
    await stopped();
    second.worker.start();
    return { thread, second };
  }
  /** The effects of the tools of the second worker. */
  const own: string[] = [];

  const isSettled = ({ store }: Replica) =>
    until(async () => (await store.inbox.threadsWithMessages()).length === 0, 5);
  const callOf = async ({ store }: Replica, thread: ThreadKey): Promise<Call> => {
    const [call] = await store.ledger.ofThread(thread);
    assert.ok(call);
    return call;
  };
  /** The posts of both workers for a turn, once nothing is left to post. */
  async function answersTo({ chat, store }: Replica, thread: ThreadKey) {
    await until(async () => (await store.outbox.pendingMessages(thread)).length === 0, 5);
    const own = chat.said.filter((say) => say.kind === 'answer' && say.thread === thread);
    const begin = `says in ${thread}: `;
    const others = worker.lines.filter((line) => line.startsWith(begin));
    return [...own.map(({ text }) => text), ...others.map((line) => line.slice(begin.length))];
  }

  async function assertAnsweredOnce(replica: Replica, thread: ThreadKey): Promise<void> {
    await isSettled(replica);
    assert.equal((await answersTo(replica, thread)).length, 1);
    assert.equal((await replica.store.history.newest(thread, 9, 0)).length, 1);
    assert.deepEqual(model.refusals, []);
  }

  async function resumeWorker(point: string): Promise<void> {
    worker.child.kill('SIGCONT');
    await worker.line(`idle after ${point}`);
  }

  test('suspended before its claim runs nothing', async (t) => {
    const stopped = () => worker.line('stops at claim');
    const { thread, second } = await suspendWorker(t, 'act claim', stopped);
    await isSettled(second);
    await resumeWorker('claim');
    assert.deepEqual(await effectsOf(effects), []);
    assert.equal(own.length, 1);
    assert.equal((await callOf(second, thread)).status, 'succeeded');
    await assertAnsweredOnce(second, thread);
  });

  test('suspended after its claim does not run a call that people have been asked about since', async (t) => {
    const stopped = () => worker.line('stops at claimed');
    const { thread, second } = await suspendWorker(t, 'act claimed', stopped);
    await until(async () => (await callOf(second, thread)).status === 'unknown', 5);
    await resumeWorker('claimed');
    assert.deepEqual(await effectsOf(effects), []);
    const call = await callOf(second, thread);
    assert.equal(call.status, 'unknown');
    const bound = { callId: call.id, attempt: call.attempt, digest: shortDigest(call.digest) };
    await second.desk.settle({ ...bound, by: REQUESTER, finding: 'rerun' });
    await until(async () => (await callOf(second, thread)).status === 'succeeded', 5);
    await assertAnsweredOnce(second, thread);
    const runs = [...own, ...(await effectsOf(effects))];
    assert.deepEqual(runs, [`claimed ${call.id}.2`]);
  });

  for (const point of ['run', 'finish'] as const) {
    test(`suspended at its ${point} has run once, and its result does not overwrite the question to people`, async (t) => {
      const before = (await effectsOf(effects)).length;
      const { thread, second } = await suspendWorker(t, `act ${point}`, () =>
        worker.line(`stops at ${point}`),
      );
      await until(async () => (await callOf(second, thread)).status === 'unknown', 5);
      await resumeWorker(point);
      const call = await callOf(second, thread);
      assert.equal(call.status, 'unknown');
      assert.deepEqual((await effectsOf(effects)).slice(before), [`${point} ${call.id}.1`]);
      assert.deepEqual(own, []);
      const bound = { callId: call.id, attempt: call.attempt, digest: shortDigest(call.digest) };
      const outcome = await second.desk.settle({ ...bound, by: REQUESTER, finding: 'ran' });
      assert.equal(outcome.kind, 'decided');
      await assertAnsweredOnce(second, thread);
    });
  }

  test('suspended during an idempotent tool: the tool runs again with the same key, and one answer is posted', async (t) => {
    const before = (await effectsOf(effects)).length;
    const { thread, second } = await suspendWorker(t, 'act_again run', () =>
      worker.line('stops at run'),
    );
    await isSettled(second);
    await resumeWorker('run');
    const call = await callOf(second, thread);
    assert.equal(call.status, 'succeeded');
    const runs = [...own, ...(await effectsOf(effects)).slice(before)];
    assert.deepEqual(runs, [`run ${call.id}.1`, `run ${call.id}.1`]);
    await assertAnsweredOnce(second, thread);
  });

  test('suspended during the model call has its checkpoint refused and posts no answer', async (t) => {
    const { thread, second } = await suspendWorker(t, 'model', async () => {
      await until(() => model.held.length > 0, 5);
      worker.child.kill('SIGSTOP');
    });
    await isSettled(second);
    await assertAnsweredOnce(second, thread);
    model.held[0]?.();
    worker.child.kill('SIGCONT');
    // It posts again after it resumes; its later writes for the old turn were refused.
    await second.worker.stop(0);
    await second.ask(threadOf(900), 'next');
    await worker.line(`says in ${threadOf(900)}: The answer.`);
    assert.deepEqual(await answersTo(second, thread), ['The answer.']);
    await assertAnsweredOnce(second, thread);
  });

  test('suspended before it stores a turn: the turn is stored once and answered once', async (t) => {
    const stopped = () => worker.line('stops at history');
    const { thread, second } = await suspendWorker(t, 'history', stopped);
    await isSettled(second);
    await resumeWorker('history');
    await assertAnsweredOnce(second, thread);
  });
});
