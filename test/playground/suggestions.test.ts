import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasSandbox } from '../support/system-needs.ts';
import { aPlayground } from './playground-fixture.ts';

test('each suggestion starts something real that can be decided', async (t) => {
  const { logged, start } = await aPlayground(t);
  const page = await start();
  const begin = await (await page.get('/ui/start')).json();

  await t.test(
    'the suggestions have these labels, and commands only if there is a tool for them',
    () => {
      const labels = begin.suggestions.map(({ label }: { label: string }) => label);
      assert.deepEqual(labels, [
        'Refund an order',
        ...(hasSandbox() ? ['Run a command'] : []),
        'Change a file',
        'Several at once',
        'Two approvers',
        'A program asks',
        'Ask me something',
      ]);
    },
  );

  await t.test('a refund', async () => {
    const { ts } = await page.tryOut('Refund an order');
    const { messages } = await page.see();
    const said = messages.find((message) => message.ts === ts);
    assert.match(said?.text ?? '', /^<@U0COUNTERSIGN> Refund €80 of order A-10293/);
    const [card] = await page.seen(/paid €129\.00 on 3 March.*call\.approve/);
    assert(card);
    assert.equal(card.threadTs, ts);
    await page.press(card, 'call.approve');
    await page.seen(/Refunded €80\.00 for order A-10293.*€49\.00 can still be refunded/);
  });

  await t.test('three refunds at once', async () => {
    await page.tryOut('Several at once');
    for (const order of ['A-10294', 'A-10295', 'A-10296']) await page.seen(new RegExp(order));
  });

  await t.test('a transfer that two people approve, with a route that is set once', async () => {
    const { note } = await page.tryOut('Two approvers');
    assert.match(note ?? '', /#approvals.*approver.*admin/);
    const [card] = await page.seen(/payroll.*call\.approve/i, 1, 'approver');
    assert(card);
    assert.equal(card.channel, 'C0APPROVALS');
    await page.press(card, 'call.approve', 'approver');
    await page.press(card, 'call.approve', 'admin');
    await page.seen(/The payroll account holds €16,800\.00 now/);
    const before = await page.seen(/two-approvers/, 1, 'admin');
    await page.tryOut('Two approvers');
    await page.seen(/payroll.*call\.approve/i, 1, 'approver');
    assert.equal((await page.seen(/two-approvers/, 1, 'admin')).length, before.length);
  });

  await t.test('a program that asks over the HTTP API, and gets the outcome', async () => {
    await page.tryOut('A program asks');
    const [card] = await page.seen(/warehouse.*call\.approve/);
    assert(card);
    await page.press(card, 'call.approve');
    await page.seen(/Ordered\. 100 are now in stock\./);
  });

  await t.test('a question with choices', async () => {
    await page.tryOut('Ask me something');
    const [card] = await page.seen(/Which boxes should/);
    for (const answer of ['Small boxes', 'Medium boxes', 'Large boxes']) {
      assert.match(JSON.stringify(card?.blocks), new RegExp(answer));
    }
  });

  const unknown = await page.post('try', { channel: 'C0GENERAL', label: 'Nonsense' }, 409);
  assert.match(JSON.stringify(unknown), /does not offer “Nonsense”/);
  assert.deepEqual(logged, []);
});
