/** Several calls of one message in the whole app: one card, one press, and a separate decision for each call. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allText } from '../../support/app/scene.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { call, type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';

describe('twelve refunds', { timeout: 240_000 }, () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  const orders = Array.from({ length: 12 }, (_, n) => 100 + n);
  const twelve = () => sayCalls(orders.map((order) => call('refund', { order })));

  it('share one card, and one press approves them all, each once', async () => {
    stage.play(twelve(), sayText('All twelve are refunded.'));
    const place = await stage.ask('requester', 'refund the twelve orders');
    const card = await stage.card(place, 'Approve All 12', '12 ×', '100', '111');
    assert.equal(stage.cards(place).length, 1);
    await stage.press('outsider', card, 'call.approve-all');
    await stage.privately('outsider', 'Nothing changed.');
    assert.deepEqual(await stage.runs(), []);
    await Promise.all([
      stage.press('requester', card, 'call.approve-all'),
      stage.press('requester', card, 'call.approve-all'),
    ]);
    await stage.privately('requester', 'Approved 12:');
    await stage.answer(place, 'All twelve are refunded.');
    await stage.settled();
    const ran = (await stage.runs()).map(({ args }) => (args as { order: number }).order);
    assert.deepEqual(ran.sort(), orders);
    assert.equal(stage.cards(place).length, 1);
    const [settled] = stage.cards(place);
    assert.ok(settled);
    assert.doesNotMatch(allText(settled), /Approve All|Open/);
    assert.equal(allText(settled).split('approved by').length - 1, 12);
  });

  it('can be decided one by one: one is opened from its line, and one press approves the rest', async () => {
    stage.play(twelve(), sayText('They are refunded once more.'));
    const place = await stage.ask('requester', 'refund them once more');
    const { channel, ts, blocks } = await stage.card(place, 'Approve All 12');
    const line = blocks.find((block) => JSON.stringify(block).includes('call.review'));
    assert.ok(line?.block_id);
    const at = { channel, ts, actionId: 'call.review', blockId: line.block_id };
    await stage.workspace.click('requester', at);
    await stage.view('requester', 'Approve');
    await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
    const card = await stage.card(place, 'Approve All 11');
    const ranBefore = await stage.runs();
    assert.equal(ranBefore.length, 13);
    await stage.press('requester', card, 'call.approve-all');
    await stage.privately('requester', 'Approved 11:');
    await stage.answer(place, 'They are refunded once more.');
    await stage.settled();
    assert.equal((await stage.runs()).length, 24);
    assert.equal(stage.cards(place).length, 1);
  });
});
