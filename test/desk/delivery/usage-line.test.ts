import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeUsage, turnUsageFacts } from '../../../src/desk/delivery/usage-line.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayStatus, sayText, withUsage } from '../../support/servers/mock-model.ts';

const HELLO = withUsage(sayText('Hello.'), { prompt_tokens: 1_240, completion_tokens: 310 });

describe('the usage of a turn', () => {
  const logged: [string, object][] = [];
  const log = { info: (fields: object, message: string) => logged.push([message, fields]) };
  const ended = () => logged.splice(0).filter(([message]) => message === 'A turn has ended.');

  it('is in the history, the audit and one line of the log', async (t) => {
    const { send, store, model, chat } = await buildDesk(t, { tools: [], log });
    model.script(() => HELLO);
    await send('hello');
    const usage = { requests: 1, inputTokens: 1_240, outputTokens: 310, modelMs: 0 };
    const [turn] = await store.history.newest(THREAD, 1, 0);
    assert.deepEqual(turn?.usage, usage);
    const entries = await store.audit.read(1, 100);
    const settled = entries.find(({ event }) => event === 'turn.settled');
    assert.deepEqual(settled?.detail, { messages: 2, ms: 0, ...usage });
    assert.deepEqual(ended(), [
      ['A turn has ended.', { turn: turn?.id, event: 'turn.settled', ms: 0, ...usage }],
    ]);
    assert.equal(chat.said.at(-1)?.foot, undefined);
  });

  it('has the time since the message but no tokens if the turn failed', async (t) => {
    const { send, store, model, clock } = await buildDesk(t, { tools: [], log });
    model.script(async () => {
      await clock.advance(1_500);
      return sayStatus(500);
    });
    await send('hello');
    const entries = await store.audit.read(1, 100);
    const failed = entries.find(({ event }) => event === 'turn.failed');
    assert.deepEqual(failed?.detail, { messages: 1, ms: 1_500 });
    const [turn] = await store.history.newest(THREAD, 1, 0);
    assert.ok(turn && !('usage' in turn));
    assert.equal(ended().length, 1);
  });

  it('is shown below the answer if that is configured', async (t) => {
    const { send, model, chat } = await buildDesk(t, { tools: [], showsUsage: true });
    model.script(() => HELLO);
    await send('hello');
    assert.equal(chat.said.at(-1)?.foot, '1,240 tokens in · 310 out · under 1 s');
    model.script(() => withUsage(sayText('Hello.'), null));
    await send('hello again');
    assert.equal(chat.said.at(-1)?.foot, 'The model’s server reports no token counts.');
  });

  const lines: readonly [number, string][] = [
    [0, 'under 1 s'],
    [499, 'under 1 s'],
    [8_400, '8 s'],
    [59_600, '1 min 0 s'],
    [131_000, '2 min 11 s'],
  ];
  for (const [modelMs, spelt] of lines) {
    it(`writes ${modelMs} ms as ${spelt}`, () => {
      const usage = { requests: 2, inputTokens: 12_345, outputTokens: 0, modelMs };
      assert.equal(describeUsage(usage), `12,345 tokens in · 0 out · ${spelt}`);
    });
  }

  it('measures the time since the message, including waits for people', () => {
    assert.deepEqual(turnUsageFacts({ receivedAt: 1_000 }, undefined, 61_000), { ms: 60_000 });
  });
});

describe('an answer', () => {
  it('names its turn, so that people can rate it', async (t) => {
    const { send, store, chat } = await buildDesk(t, { tools: [] });
    await send('hello');
    const [turn] = await store.history.newest(THREAD, 1, 0);
    assert.deepEqual([chat.said.at(-1)?.kind, chat.said.at(-1)?.turn], ['answer', turn?.id]);
  });

  it('that was interrupted is not the final answer, and cannot be rated', async (t) => {
    const { send, model, chat } = await buildDesk(t, { tools: [] });
    model.script(() => ({ kind: 'cut', deltas: ['Well'], calls: [] }));
    await send('hello');
    assert.deepEqual(
      chat.said.map(({ kind, turn }) => [kind, turn]),
      [
        ['answer', undefined],
        ['notice', undefined],
      ],
    );
  });
});
