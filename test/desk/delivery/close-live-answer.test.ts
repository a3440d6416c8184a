/** What happens to a live message when its turn pauses or ends: text that people saw is posted or removed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createCloseLiveAnswer } from '../../../src/desk/delivery/close-live-answer.ts';
import { createLiveAnswers } from '../../../src/desk/delivery/live-answer.ts';
import type { GraphState } from '../../../src/domain/ports/agent.ts';
import { openStore } from '../../stores/sqlite/open-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { createRecordingChat } from '../../support/builders/recording-chat.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { type MockAnswer, sayCalls, sayText, toChunk } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

const CALL = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'act', arguments: '{"note":"a"}' },
};

/** A model that streams these words, and ends when the test releases it. */
function holding(words: readonly string[], end: readonly unknown[]) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* chunks() {
    yield toChunk({ role: 'assistant', content: '' }, null);
    for (const content of words) yield toChunk({ content }, null);
    await held;
    yield* end;
  }
  const answer: MockAnswer = { kind: 'chunks', chunks: chunks() };
  return { answer, release: () => release() };
}

async function deskWith(t: TestContext, first: MockAnswer, gate = askAll()) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { tools: [tool.definition], gate });
  desk.model.script((_request, index) => (index === 0 ? first : sayText('Done.')));
  const { chat, clock, store } = desk;
  return {
    desk,
    tool,
    chat,
    /** Advances the clock until people see the live message with these words. */
    async grows(words: string) {
      const isSeen = async () => {
        await clock.advance(200);
        return chat.views.some(({ text }) => text === words) && chat.growing.size === 1;
      };
      // In small steps, because otherwise the lease ends before the model has answered.
      await until(isSeen, 20);
    },
    answers: () => chat.said.filter(({ kind }) => kind === 'answer').map(({ text }) => text),
    async isClean() {
      return chat.growing.size === 0 && (await store.outbox.liveMessageOf(THREAD)) === undefined;
    },
  };
}

describe('the live message of a turn', () => {
  it('becomes the answer', async (t) => {
    const model = holding(
      ['All ', 'of it'],
      [toChunk({ content: '.' }, null), toChunk({}, 'stop')],
    );
    const { desk, grows, answers, isClean } = await deskWith(t, model.answer);
    const sent = desk.send('tell me');
    await grows('All of it');
    model.release();
    await sent;
    assert.deepEqual(answers(), ['All of it.']);
    assert.ok(await isClean());
  });

  it('becomes the text beside a card, once and even if short, before people are asked', async (t) => {
    const end = [toChunk({ tool_calls: [CALL] }, null), toChunk({}, 'tool_calls')];
    const model = holding(['I act.'], end);
    const { desk, grows, answers, isClean } = await deskWith(t, model.answer);
    const sent = desk.send('act');
    await grows('I act.');
    model.release();
    await sent;
    assert.deepEqual(answers(), ['I act.']);
    assert.ok(await isClean());
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    assert.ok(call);
    await desk.decide(call, REQUESTER);
    assert.deepEqual(answers(), ['I act.', 'Done.']);
  });

  it('is removed if it has no text when people are asked', async (t) => {
    const end = [toChunk({ tool_calls: [CALL] }, null), toChunk({}, 'tool_calls')];
    const model = holding([], end);
    const { desk, grows, answers, isClean } = await deskWith(t, model.answer);
    const sent = desk.send('act');
    await grows('');
    model.release();
    await sent;
    assert.deepEqual(answers(), []);
    assert.ok(await isClean());
  });

  it('shows a tool while it runs, and becomes the answer', async (t) => {
    const { desk, tool, chat, answers, isClean } = await deskWith(
      t,
      sayCalls([{ name: 'act', args: '{"note":"a"}' }]),
      () => ({ kind: 'run' }),
    );
    const release = tool.hold();
    const sent = desk.send('act');
    await until(async () => {
      await desk.clock.advance(200);
      const tasks = chat.views.at(-1)?.tasks ?? [];
      return tasks.some((task) => task.tool === 'act' && task.status === 'in_progress');
    }, 20);
    release();
    await sent;
    await desk.worker.idle();
    assert.deepEqual(answers(), ['Done.']);
    assert.ok(await isClean());
  });

  it('keeps the text of an interrupted answer, and the error follows', async (t) => {
    const model = holding(['Half of'], [{ error: { message: 'The server stopped.' } }]);
    const { desk, grows, chat, answers, isClean } = await deskWith(t, model.answer);
    const sent = desk.send('tell me');
    await grows('Half of');
    model.release();
    await sent;
    assert.deepEqual(answers(), ['Half of']);
    assert.equal(chat.said.at(-1)?.kind, 'notice');
    assert.ok(await isClean());
  });

  it('is removed if its text was filtered', async (t) => {
    const model = holding(['Never'], [toChunk({}, 'content_filter')]);
    const { desk, grows, answers, isClean } = await deskWith(t, model.answer);
    const sent = desk.send('tell me');
    await grows('Never');
    model.release();
    await sent;
    assert.deepEqual(answers(), []);
    assert.ok(await isClean());
  });

  it('is removed before the next answer is posted if an earlier turn left it', async (t) => {
    const { desk, chat, answers, isClean } = await deskWith(t, sayText('Fresh.'));
    chat.growing.add('left');
    await desk.store.outbox.placeLiveMessage(THREAD, { channel: 'C1', ts: 'left' });
    await desk.send('hello');
    assert.deepEqual(answers(), ['Fresh.']);
    assert.ok(await isClean());
    assert.equal(chat.said.length, 1);
  });

  it('keeps its text if its turn is stopped, marked as interrupted', async (t) => {
    const { store, clock } = await openStore(t);
    const chat = createRecordingChat();
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const ts = '1700000000.000100';
    const message = { id: 'm', thread: THREAD, author: REQUESTER, ts, text: 'hi', receivedAt: 1 };
    const inbox = { current: async () => message };
    const live = createLiveAnswers({ chat, outbox: store.outbox, inbox, clock, log });
    t.after(() => live.stop());
    live.begin(message);
    live.delta(THREAD, 'Half of it ');
    await clock.advance(1_000);
    const [place = ''] = chat.growing;
    const state: GraphState = {
      turn: message.id,
      messages: [],
      open: [],
      phase: 'finished',
      failure: undefined,
      usage: undefined,
    };
    const closeLive = createCloseLiveAnswer({ store, clock }, live);
    const [words, end, ...others] = await closeLive.last(message, state);
    assert.deepEqual(others, []);
    assert.equal(words?.kind, 'answer');
    assert.equal(words?.text, 'Half of it');
    assert.equal(words?.foot, 'The answer was cut off here.');
    assert.equal(end?.clearsLive, true);
    assert.ok(end?.id.includes(place));
  });
});
