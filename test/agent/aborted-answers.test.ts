import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleFenceError } from '../../src/domain/ports/store.ts';
import { sayCalls, sayText } from '../support/servers/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  CLEAN_UP,
  createBench,
  createTestCheckpoints,
  FENCE,
  NO_SIGNAL,
  THREAD,
  until,
} from './agent-fixture.ts';

test('an abort while the model answers leaves a step that can be resumed', async (t) => {
  const { agent, mock, clock } = await createBench(t, (_request, index) =>
    index === 0 ? { kind: 'hang', deltas: ['I was going to say'] } : sayText('Here I am.'),
  );
  const lost = new AbortController();
  const words = agent.start(aMessage('Hi'), FENCE, lost.signal);
  await until(() => mock.requests.length === 1);
  lost.abort(new Error('The lease is lost.'));
  await assert.rejects(words, /The lease is lost/);
  const stuck = await agent.read(THREAD);
  assert.equal(stuck.phase, 'stuck');
  assert.equal(stuck.failure, undefined);
  assert.deepEqual(
    stuck.messages.map(({ role }) => role),
    ['user'],
  );
  await until(() => clock.pendingCount === 0);
  const end = await agent.proceed(THREAD, FENCE, NO_SIGNAL);
  assert.equal(end.phase, 'finished');
  assert.equal(end.messages.at(-1)?.text, 'Here I am.');
});

test('an abort during the last reply of a batch loses none of the outcomes', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) => {
    if (index === 0) return sayCalls([{ id: 'p', name: 'pay', args: '{}' }]);
    return index === 1 ? { kind: 'hang', deltas: [] } : sayText('Paid.');
  });
  const asked = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  const lost = new AbortController();
  const resumed = agent.resume(THREAD, answering(asked, 'pay', aReply('paid')), FENCE, lost.signal);
  await until(() => mock.requests.length === 2);
  lost.abort(new Error('Shutting down.'));
  await assert.rejects(resumed, /Shutting down/);
  const stuck = await agent.read(THREAD);
  assert.deepEqual([stuck.phase, stuck.open.length], ['stuck', 0]);
  const end = await agent.proceed(THREAD, FENCE, NO_SIGNAL);
  assert.deepEqual(
    end.messages.map(({ text }) => text),
    ['Pay', '', 'paid', 'Paid.'],
  );
  assert.deepEqual(mock.refusals, []);
});

test('an ending reply that is aborted at any moment still ends the turn without asking the model', async (t) => {
  const calls = Array.from({ length: 6 }, (_, at) => ({ id: `p${at}`, name: 'pay', args: '{}' }));
  const { agent, mock } = await createBench(t, () => sayCalls(calls));
  const ended = { ...aReply('Not run.'), endsTurn: true };
  const met = new Set<string>();
  let starts = 0;
  for (let turns = 100; turns < 700; turns += 10) {
    await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
    starts += 1;
    const { open } = await agent.read(THREAD);
    const replies = Object.fromEntries(open.map(({ interruptId }) => [interruptId, ended]));
    const lost = new AbortController();
    const resumed = agent.resume(THREAD, replies, FENCE, lost.signal).catch(() => {});
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    lost.abort(new Error('The lease is lost.'));
    await resumed;
    const cut = await agent.read(THREAD);
    met.add(`${cut.phase} ${cut.open.length} ${cut.endsTurn === true}`);
    if (cut.phase === 'stuck') {
      assert.equal((await agent.proceed(THREAD, FENCE, NO_SIGNAL)).phase, 'finished');
    }
  }
  assert.ok(met.has('stuck 0 true'), 'It was cut off between the answers and the end.');
  assert.ok(!met.has('stuck 0 false'), 'It forgot that the turn ends.');
  assert.equal(mock.requests.length, starts);
});

test('an aborted signal starts nothing', async (t) => {
  const { agent, mock } = await createBench(t, () => sayText('Hi.'));
  const aborted = AbortSignal.abort(new Error('Too late.'));
  await assert.rejects(agent.start(aMessage('Hi'), FENCE, aborted), /Too late/);
  assert.equal(mock.requests.length, 0);
  assert.equal((await agent.read(THREAD)).phase, 'none');
});

test('every write carries the fence, and a refused write rejects with its own error', async (t) => {
  const { checkpoints, tokens, fail } = createTestCheckpoints();
  const { agent } = await createBench(t, CLEAN_UP, { checkpoints });
  const asked = await agent.start(aMessage('Clean up'), { ...FENCE, token: 7 }, NO_SIGNAL);
  assert.deepEqual(tokens, [7]);
  fail(new StaleFenceError('Another worker has the thread.'));
  const sent = answering(asked, 'send', aReply('sent'));
  await assert.rejects(agent.resume(THREAD, sent, FENCE, NO_SIGNAL), StaleFenceError);
  await assert.rejects(agent.start(aMessage('x', '9.9'), FENCE, NO_SIGNAL), StaleFenceError);
});

test('a refused write leaves the open calls unchanged', async (t) => {
  const { checkpoints, fail } = createTestCheckpoints();
  const { agent } = await createBench(t, CLEAN_UP, { checkpoints });
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  fail(new StaleFenceError('Another worker has the thread.'));
  const sent = answering(asked, 'send', aReply('sent'));
  await assert.rejects(agent.resume(THREAD, sent, FENCE, NO_SIGNAL), StaleFenceError);
  fail(undefined);
  assert.deepEqual(await agent.read(THREAD), asked);
});
