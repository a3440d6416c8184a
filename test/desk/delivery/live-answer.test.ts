/** When a live message is shown, how often it is updated, and how it ends. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createLiveAnswers } from '../../../src/desk/delivery/live-answer.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { openStore } from '../../stores/sqlite/open-store.ts';
import { aCall, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordingChat } from '../../support/builders/recording-chat.ts';

const MESSAGE = {
  id: 'T1/C1/1700000000.000100',
  thread: THREAD,
  author: REQUESTER,
  ts: '1700000000.000100',
  text: 'hi',
  receivedAt: 1,
};

async function bench(t: TestContext) {
  const { store, clock } = await openStore(t);
  const chat = createRecordingChat();
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  let current: InboxMessage | undefined = MESSAGE;
  const inbox = { current: async () => current };
  const live = createLiveAnswers({ chat, outbox: store.outbox, inbox, clock, log });
  const endElsewhere = () => {
    current = undefined;
  };
  t.after(() => live.stop());
  const texts = () => chat.views.map(({ text }) => text);
  return { clock, outbox: store.outbox, chat, live, texts, endElsewhere };
}

describe('a live message', () => {
  it('is not shown for an answer that takes less than a second', async (t) => {
    const { clock, chat, live, outbox } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'Hello.');
    await clock.advance(900);
    assert.equal(await live.finish(THREAD), undefined);
    await clock.advance(60_000);
    assert.deepEqual(chat.views, []);
    assert.equal(await outbox.liveMessageOf(THREAD), undefined);
    assert.equal(clock.pendingCount, 0);
  });

  it('is not started by a stalled worker after another one ended the turn', async (t) => {
    const { clock, chat, live, outbox, endElsewhere } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'Hello.');
    endElsewhere();
    await clock.advance(10_000);
    assert.deepEqual(chat.views, []);
    assert.equal(await outbox.liveMessageOf(THREAD), undefined);
  });

  it('shows text after a second, and then at most once a second all text so far', async (t) => {
    const { clock, chat, live, texts } = await bench(t);
    live.begin(MESSAGE);
    for (let i = 0; i < 40; i += 1) {
      live.delta(THREAD, `${i} `);
      await clock.advance(100);
    }
    await clock.advance(5_000);
    assert.equal(chat.views.length, 4);
    assert.ok(texts()[0]?.startsWith('0 1 2 '));
    assert.equal(texts().at(-1), Array.from({ length: 40 }, (_, i) => `${i} `).join(''));
  });

  it('shows after three seconds that the agent is thinking, and which tools run', async (t) => {
    const { clock, chat, live } = await bench(t);
    live.begin(MESSAGE);
    await clock.advance(2_900);
    assert.equal(chat.views.length, 0);
    await clock.advance(200);
    assert.deepEqual(chat.views.at(-1)?.tasks, [{ id: 'thinking', status: 'in_progress' }]);
    live.progress(MESSAGE, [aCall({ id: 'call_1', tool: 'read_file', status: 'running' })]);
    await clock.advance(1_000);
    assert.deepEqual(chat.views.at(-1)?.tasks, [
      { id: 'thinking', status: 'complete' },
      { id: 'call_1', tool: 'read_file', status: 'in_progress' },
    ]);
    live.progress(MESSAGE, [aCall({ id: 'call_1', tool: 'read_file', status: 'failed' })]);
    await clock.advance(1_000);
    assert.deepEqual(
      chat.views.at(-1)?.tasks.map(({ status }) => status),
      ['in_progress', 'error'],
    );
  });

  it('waits as long as Slack’s rate limit says, and then shows all text so far', async (t) => {
    const { clock, chat, live, texts } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'a');
    const tooMany = new ChatError('rate-limited', 'Slow down.', { retryAfterMs: 7_000 });
    chat.nextView(() => Promise.reject(tooMany));
    await clock.advance(1_000);
    live.delta(THREAD, 'b');
    await clock.advance(6_900);
    assert.deepEqual(texts(), ['a']);
    await clock.advance(200);
    assert.deepEqual(texts(), ['a', 'ab']);
  });

  it('retries failed updates with growing delays', async (t) => {
    const { clock, chat, live } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'a');
    const dead = new ChatError('temporary', 'The line is dead.');
    for (let i = 0; i < 8; i += 1) chat.nextView(() => Promise.reject(dead));
    await clock.advance(20_000);
    assert.ok(chat.views.length >= 4 && chat.views.length <= 6, String(chat.views.length));
    await clock.advance(120_000);
    assert.equal(chat.growing.size, 1);
  });

  it('never writes twice at the same time, and closes after the write in progress', async (t) => {
    const { clock, chat, live } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'a');
    let arrive = () => {};
    chat.nextView(
      () =>
        new Promise((resolve) => {
          arrive = resolve;
        }),
    );
    await clock.advance(1_000);
    live.delta(THREAD, 'b');
    await clock.advance(10_000);
    assert.equal(chat.views.length, 1);
    const finished = live.finish(THREAD);
    arrive();
    const grown = await finished;
    assert.equal(grown?.text, 'ab');
    assert.ok(chat.growing.has(grown?.place.ts ?? ''));
    live.delta(THREAD, 'c');
    await clock.advance(10_000);
    assert.equal(chat.views.length, 1);
  });

  it('is stored before it is posted, so that it is found after a crash', async (t) => {
    const { clock, chat, live, outbox } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'a');
    let arrive = () => {};
    chat.nextView(
      () =>
        new Promise((resolve) => {
          arrive = resolve;
        }),
    );
    await clock.advance(1_000);
    assert.deepEqual(await outbox.liveMessageOf(THREAD), { channel: 'C1', ts: '' });
    arrive();
    await clock.advance(0);
    assert.equal((await outbox.liveMessageOf(THREAD))?.ts, [...chat.growing][0]);
  });

  it('waits behind an answer that is not posted yet', async (t) => {
    const { clock, chat, live, outbox } = await bench(t);
    const say = { id: 's', thread: THREAD, kind: 'answer', text: 'first', createdAt: 1 } as const;
    await outbox.add([say], []);
    live.begin(MESSAGE);
    live.delta(THREAD, 'second');
    await clock.advance(5_000);
    assert.equal(chat.views.length, 0);
    await outbox.markSent('s');
    await clock.advance(1_000);
    assert.equal(chat.views.length, 1);
  });

  it('is not updated any more once another worker has taken it over', async (t) => {
    const { clock, chat, live, outbox } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'a');
    await clock.advance(1_000);
    await outbox.placeLiveMessage(THREAD, { channel: 'C1', ts: 'theirs' });
    live.delta(THREAD, 'b');
    await clock.advance(10_000);
    assert.equal(chat.views.length, 1);
    assert.equal((await outbox.liveMessageOf(THREAD))?.ts, 'theirs');
  });

  it('shows the text of the newest attempt only', async (t) => {
    const { clock, live, texts } = await bench(t);
    live.begin(MESSAGE);
    live.delta(THREAD, 'half of it');
    await clock.advance(1_000);
    live.begin(MESSAGE);
    live.delta(THREAD, 'all of it');
    await clock.advance(1_000);
    assert.deepEqual(texts(), ['half of it', 'all of it']);
  });

  it('is not shown for a helper’s thread', async (t) => {
    const { clock, chat, live } = await bench(t);
    const thread = childThreadKey(THREAD, 'call_x');
    live.begin({ ...MESSAGE, thread });
    live.delta(thread, 'from below');
    await clock.advance(10_000);
    assert.equal(await live.finish(thread), undefined);
    assert.deepEqual(chat.views, []);
  });
});
