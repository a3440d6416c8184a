/** Threads, direct messages and messages in quick succession. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sayText } from '../../../support/servers/mock-model.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';
import { changesNothing, eventsOf } from './slack-events.ts';

describe('conversations', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('socket');
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  it('a second message waits for the first turn, and neither is lost or mixed up', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let inFlight = 0;
    let most = 0;
    const answers = [
      sayCall('note', { text: 'archive A' }),
      sayCall('note', { text: 'archive B' }),
      sayText('B is archived.'),
    ];
    stage.model.script(async (_request, index) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await held;
      inFlight -= 1;
      return answers[index] ?? sayText('Asked too often.');
    });
    const place = await stage.ask('requester', 'archive A');
    await stage.write('requester', place, 'no wait, archive B');
    letGo();
    const card = await stage.card(place, 'archive B', 'Approve');
    await stage.card(place, 'archive A', 'Replied', 'no wait, archive B');
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'B is archived.');
    assert.equal(most, 1);
    const noted = (await stage.runs()).filter(({ args }) =>
      JSON.stringify(args).includes('archive'),
    );
    assert.deepEqual(noted, [{ tool: 'note', args: { text: 'archive B' } }]);
    assert.match(stage.toolMessages()[0] ?? '', /no wait, archive B/);
  });

  it('two messages at the same moment are two turns, one after the other', async () => {
    stage.play(sayText('First.'), sayText('Second.'), sayText('Third.'));
    const place = await stage.ask('requester', 'one');
    await Promise.all(['two', 'three'].map((text) => stage.write('requester', place, text)));
    await stage.answer(place, 'Third.');
    const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
    const talk = messages.filter(({ role }) => role !== 'system');
    assert.deepEqual(
      talk.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant', 'user'],
    );
    assert.match(JSON.stringify(talk.at(1)?.content), /First/);
  });

  it('a mention and the replies in its thread are one conversation, without further mentions', async () => {
    stage.play(sayText('I am Ann.'), sayText('Still Ann.'), sayText('Ann, as ever.'));
    const place = await stage.ask('requester', 'be Ann');
    await stage.answer(place, 'I am Ann.');
    await stage.write('requester', place, 'who are you?');
    await stage.answer(place, 'Still Ann.');
    assert.match(JSON.stringify(stage.model.requests.at(-1)), /be Ann.*I am Ann\./);
    const root = stage.thread(place)[0];
    assert.ok(root);
    // The root message of a thread has its own timestamp as `thread_ts`.
    const { mention } = eventsOf(stage, { ...root, threadTs: root.ts });
    await changesNothing(stage, () => stage.workspace.deliverEvent(mention), place);
  });

  it('each top-level direct message starts a thread, and card and answer stay in it', async () => {
    stage.play(sayCall('note', { text: 'first' }));
    const first = await stage.askDirectly('requester', 'note the first');
    const card = await stage.card(first, 'first');
    stage.play(sayText('The second.'));
    const second = await stage.askDirectly('requester', 'and the second');
    await stage.answer(second, 'The second.');
    assert.doesNotMatch(JSON.stringify(stage.model.requests.at(-1)?.messages), /note the first/);
    stage.play(sayText('The first is noted.'));
    await stage.press('requester', card, 'call.approve');
    await stage.answer(first, 'The first is noted.');
    assert.equal(stage.cards(second).length, 0);
    stage.play(sayText('Yes, the first.'));
    await stage.write('requester', first, 'which one?');
    await stage.answer(first, 'Yes, the first.');
    assert.match(JSON.stringify(stage.model.requests.at(-1)), /note the first/);
  });

  it('the same timestamp in another channel or another workspace is another thread', async () => {
    stage.play(sayText('In general.'));
    const place = await stage.ask('requester', 'where are we?');
    await stage.answer(place, 'In general.');
    const [root] = stage.thread(place);
    assert.ok(root);
    const { mention } = eventsOf(stage, root);
    const away = { team_id: 'T0AWAY', authorizations: [{ team_id: 'T0AWAY' }] };
    const elsewhere = { ...mention, team: 'T0AWAY' };
    await changesNothing(
      stage,
      () => stage.workspace.deliverEvent(elsewhere, { envelope: away }),
      place,
    );
    stage.play(sayText('In ops.'));
    const ops = { channel: stage.workspace.channel('ops').id, root: root.ts };
    await stage.workspace.deliverEvent({ ...mention, channel: ops.channel });
    await stage.answer(ops, 'In ops.');
    assert.doesNotMatch(JSON.stringify(stage.model.requests.at(-1)), /In general/);
    assert.equal(stage.thread(place).length, 2);
  });

  it('channel messages without a mention do not reach the agent', async () => {
    const { id } = stage.workspace.channel('general');
    const { ts } = await stage.workspace.say('requester', id, 'lunch?');
    const place = { channel: id, root: ts };
    await changesNothing(stage, () => stage.write('approver', place, 'pizza'), place);
  });

  it('every request to the model was in a valid order', () => {
    assert.deepEqual(stage.model.refusals, []);
  });
});
