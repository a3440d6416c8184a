import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ThreadFence } from '../../src/domain/ports/agenda.ts';
import { advanceTurnKey } from '../../src/domain/ports/agenda.ts';
import { StaleFenceError } from '../../src/domain/ports/store.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { claimOne } from '../support/builders/claim-one.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sayCalls, sayText } from '../support/servers/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  createBench,
  NO_SIGNAL,
  THREAD,
  until,
} from './agent-fixture.ts';

const LEASE_MS = 1_000;

/** The app's store, and a function that makes the caller the thread's worker. */
function createStore(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'fence-'));
  const clock = createManualClock();
  const store = createSqliteStore({ dataDir, clock });
  t.after(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true });
  });
  return {
    store,
    /** The previous worker's lease has expired by then. */
    async takeOver(): Promise<ThreadFence> {
      await clock.advance(LEASE_MS + 1);
      await store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: clock.now() }]);
      const lease = await claimOne(store.agenda, clock.now(), LEASE_MS);
      assert.ok(lease);
      return { thread: THREAD, token: lease.fence };
    },
  };
}

test('a worker that lost its lease while the model answered changes nothing when it resumes', async (t) => {
  const { store, takeOver } = createStore(t);
  let release = (_: unknown) => {};
  const stalled = new Promise((resolve) => {
    release = resolve;
  });
  const { agent, mock } = await createBench(
    t,
    async (_request, index) => {
      if (index > 0) return sayCalls([{ id: 'c', name: 'pay', args: '{"amount":10}' }]);
      await stalled;
      return sayText('I am late.');
    },
    { checkpoints: store.checkpoints, history: store.history },
  );
  const old = await takeOver();
  const late = agent.start(aMessage('Pay'), old, NO_SIGNAL);
  await until(() => mock.requests.length === 1);

  const young = await takeOver();
  assert.equal((await agent.read(THREAD)).phase, 'none');
  const asked = await agent.start(aMessage('Pay'), young, NO_SIGNAL);
  assert.equal(asked.phase, 'waiting');
  release(undefined);
  await assert.rejects(late, StaleFenceError);
  assert.deepEqual(await agent.read(THREAD), asked);

  const answer = answering(asked, 'pay', aReply('paid'));
  await assert.rejects(agent.resume(THREAD, answer, old, NO_SIGNAL), StaleFenceError);
  await assert.rejects(agent.start(aMessage('Again', '9.9'), old, NO_SIGNAL), StaleFenceError);
  await assert.rejects(agent.forget(THREAD, old), StaleFenceError);
  assert.deepEqual(await agent.read(THREAD), asked);
});

test('a batch on the app’s store is resumed in parts and finally forgotten', async (t) => {
  const { store, takeOver } = createStore(t);
  const { agent, mock } = await createBench(
    t,
    (_request, index) => {
      const names = ['pay', 'send', 'delete', 'pay'];
      if (index > 0) return sayText('Done.');
      return sayCalls(names.map((name, at) => ({ id: `c${at}`, name, args: `{"n":${at}}` })));
    },
    { checkpoints: store.checkpoints, history: store.history },
  );
  const fence = await takeOver();
  let state = await agent.start(aMessage('Go'), fence, NO_SIGNAL);
  for (const place of [2, 0, 3, 1]) {
    const id = state.open.find(({ position }) => position === place)?.interruptId ?? '';
    state = await agent.resume(THREAD, { [id]: aReply(`at ${place}`) }, fence, NO_SIGNAL);
  }
  assert.equal(state.phase, 'finished');
  assert.deepEqual(mock.refusals, []);
  assert.deepEqual(
    state.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    ['at 0', 'at 1', 'at 2', 'at 3'],
  );
  await agent.forget(THREAD, fence);
  assert.equal((await agent.read(THREAD, fence)).phase, 'none');
});
