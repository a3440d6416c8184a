import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../src/domain/chat.ts';
import { REQUESTER } from '../support/a-call.ts';
import { buildDesk } from '../support/build-desk.ts';
import { sayCalls, sayText } from '../support/mock-model.ts';
import { createRecordedTool } from '../support/recorded-tool.ts';

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

  it('that can’t be delivered is told to the requester once, runs nothing, and comes when it can', async (t) => {
    const { desk, tool } = await deskWith(t);
    const undeliverable = () => new ChatError('undeliverable', 'I am not in that channel.');
    desk.chat.failNext(undeliverable());
    await desk.send('act');
    await desk.worker.idle();
    const told = () => desk.chat.said.filter(({ kind }) => kind === 'private');
    assert.equal(told().length, 1);
    assert.match(told()[0]?.text ?? '', /not in that channel.*Nothing was run/s);
    desk.chat.failNext(undeliverable());
    await desk.clock.advance(1_000);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.size, 0);
    await desk.clock.advance(2_000);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.size, 1);
    assert.equal(told().length, 1);
    assert.equal(tool.runs.length, 0);
  });

  it('that was deleted is posted anew while it waits, and does not hold up a decision', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    desk.chat.failNext(new ChatError('gone', 'The message was deleted.'));
    await desk.decide(call, REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('waits as long as Slack asks when it is rate-limited', async (t) => {
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
