import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

async function deskWith(t: TestContext) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

describe('a card', () => {
  it('is posted once and follows its call to the end', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    assert.equal(desk.chat.cards.get(call.id)?.status, 'pending');
    await desk.decide(call, REQUESTER);
    assert.equal(desk.chat.cards.get(call.id)?.status, 'succeeded');
    assert.equal(desk.chat.posts.get(call.id), 1);
  });

  it('that cannot be delivered runs nothing, is reported to the requester once, and is posted later', async (t) => {
    const { desk, tool } = await deskWith(t);
    const undeliverable = () => new ChatError('undeliverable', 'I am not in that channel.');
    desk.chat.failCards(undeliverable());
    await desk.send('act');
    await desk.worker.idle();
    const told = () => desk.chat.said.filter(({ kind }) => kind === 'private');
    for (let s = 0; s < 130; s += 10) {
      if (s < 60) assert.equal(told().length, 0, `told after ${s} s`);
      await desk.clock.advance(10_000);
      await desk.worker.idle();
    }
    assert.equal(told().length, 1);
    assert.match(told()[0]?.text ?? '', /not in that channel.*Nothing was run/s);
    assert.equal(desk.chat.cards.size, 0);
    desk.chat.failCards(undefined);
    await desk.clock.advance(300_000);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.size, 1);
    assert.match(told()[1]?.text ?? '', /can be shown again in our thread/);
    assert.equal(told().length, 2);
    assert.equal(tool.runs.length, 0);
  });

  it('that is delivered within a minute of a failure alarms nobody', async (t) => {
    const { desk } = await deskWith(t);
    for (const code of ['rejected', 'undeliverable', 'rejected'] as const) {
      desk.chat.failNext(new ChatError(code, 'Slack answered something odd.'));
    }
    await desk.send('act');
    for (let s = 0; s < 30; s += 5) {
      await desk.worker.idle();
      await desk.clock.advance(5_000);
    }
    assert.equal(desk.chat.cards.size, 1);
    await desk.clock.advance(300_000);
    await desk.worker.idle();
    assert.deepEqual(
      desk.chat.said.filter(({ kind }) => kind === 'private'),
      [],
    );
  });

  it('that Slack refuses is reported, for any reason, and retried while the call is pending', async (t) => {
    const { desk, tool } = await deskWith(t);
    const refused = () => new ChatError('rejected', 'Slack answered invalid_blocks.');
    desk.chat.failCards(refused());
    await desk.send('act');
    await desk.worker.idle();
    const told = () => desk.chat.said.filter(({ kind }) => kind === 'private');
    for (let hour = 0; hour < 12; hour += 1) {
      await desk.clock.advance(3_600_000);
      await desk.worker.idle();
    }
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
    desk.chat.failCards(undefined);
    await desk.clock.advance(300_000);
    await desk.worker.idle();
    const [call] = await desk.calls();
    assert.ok(call);
    assert.equal(desk.chat.cards.get(call.id)?.status, 'pending');
    assert.match(told()[0]?.text ?? '', /thread in C1: .*invalid_blocks.*Nothing was run/s);
    assert.match(told()[1]?.text ?? '', /can be shown again/);
    assert.equal(told().length, 2);
    assert.equal(tool.runs.length, 0);
  });

  it('of an ended call is finally given up, and nothing false is reported about it', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    desk.chat.failCards(new ChatError('undeliverable', 'The channel is archived.'));
    await desk.decide(call, REQUESTER);
    for (let hour = 0; hour < 4; hour += 1) {
      await desk.clock.advance(3_600_000);
      await desk.worker.idle();
    }
    assert.deepEqual(
      (await desk.store.agenda.deadLetters()).map(({ key }) => key.task),
      ['redraw'],
    );
    assert.doesNotMatch(JSON.stringify(desk.chat.said), /Nothing was run/);
  });

  it('that was deleted is posted again while the call is pending, and does not delay a decision', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    desk.chat.failNext(new ChatError('gone', 'The message was deleted.'));
    await desk.decide(call, REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('of an ended call also waits as long as Slack’s rate limit says', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    desk.chat.failNext(new ChatError('rate-limited', 'Too fast.', { retryAfterMs: 30_000 }));
    await desk.decide(call, REQUESTER, { kind: 'ignore' });
    await desk.clock.advance(29_999);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.get(call.id)?.status, 'pending');
    await desk.clock.advance(1);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.get(call.id)?.status, 'ignored');
  });

  it('waits as long as Slack’s rate limit says', async (t) => {
    const { desk } = await deskWith(t);
    desk.chat.failNext(new ChatError('rate-limited', 'Too fast.', { retryAfterMs: 30_000 }));
    await desk.send('act');
    await desk.clock.advance(29_999);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.size, 0);
    await desk.clock.advance(1);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.size, 1);
  });
});

describe('outbox messages', () => {
  it('that Slack keeps refusing do not block later ones, and the thread is told that an answer is missing', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script((_request, index) => sayText(`Answer ${index}.`));
    for (let tries = 0; tries < 3; tries += 1) {
      desk.chat.failNext(new ChatError('rejected', 'Slack answered msg_too_long.'));
    }
    await desk.send('one');
    await desk.clock.advance(10_000);
    await desk.worker.idle();
    await desk.send('two');
    await desk.worker.idle();
    assert.deepEqual(
      desk.chat.said.map(({ text }) => text),
      [
        'I had an answer here, but Slack did not accept it. Please ask me to rephrase it.',
        'Answer 1.',
      ],
    );
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
  });
});

describe('a preview', () => {
  it('that hangs or fails delays neither the card nor the stop', async (t) => {
    for (const preview of [
      () => new Promise<string>(() => {}),
      () => Promise.reject(new Error('no')),
    ]) {
      const { definition } = createRecordedTool();
      const desk = await buildDesk(t, { tools: [{ ...definition, preview }] });
      desk.model.script(() => sayCalls([{ name: 'act', args: '{"note":"a"}' }]));
      const sending = desk.send('act');
      await until(() => desk.model.requests.length === 1);
      await until(async () => {
        await desk.clock.advance(500);
        return desk.chat.cards.size === 1;
      }, 20);
      await sending;
      const [card] = desk.chat.cards.values();
      assert.match(card?.preview ?? '', /took too long|would fail/);
    }
  });
});
