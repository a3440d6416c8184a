import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defineTool } from '../../../src/agent/tools/define-tool.ts';
import { createShopTools } from '../../../src/playground/shop/shop-tools.ts';
import {
  openPersistedFile,
  type PersistedFile,
} from '../../../src/playground/workspace/state/persisted-state.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const REFUND = { order: 'A-10293', amount: 80, currency: 'EUR', reason: 'damaged', notify: true };

/** The tools of the app, with their data in a file. */
function toolsOn(kept: PersistedFile) {
  const tools = createShopTools(kept).map((definition) => {
    const made = defineTool(definition);
    assert(made.kind === 'tool');
    return made.tool;
  });
  const get = (name: string) => {
    const found = tools.find((tool) => tool.name === name);
    assert(found);
    return found;
  };
  const run = (name: string, args: object, idempotencyKey: string) =>
    get(name).run(JSON.parse(JSON.stringify(args)), {
      signal: new AbortController().signal,
      callId: 'call_1',
      idempotencyKey,
      report: () => {},
      requester: { team: 'T1', user: 'U1' },
      thread: { team: 'T1', channel: 'C1', ts: '1.000001' } as never,
    });
  const preview = async (name: string, args: object) =>
    await get(name).preview?.(JSON.parse(JSON.stringify(args)));
  return { get, run, preview };
}

async function aShop(t: TestContext) {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  const file = join(path, 'playground.jsonl');
  const kept = openPersistedFile(file);
  t.after(() => kept.close());
  return { ...toolsOn(kept), reopen: () => toolsOn(openPersistedFile(file)) };
}

test('a refund shows the data of the order, and afterwards what is left', async (t) => {
  const { preview, run } = await aShop(t);
  const before = await preview('refund', REFUND);
  assert.equal(before?.text, 'Order A-10293 · paid €129.00 on 3 March');
  const said = await run('refund', REFUND, 'key-1');
  assert.equal(
    said,
    'Refunded €80.00 for order A-10293. The customer is notified. €49.00 can still be refunded.',
  );
  const after = await preview('refund', { ...REFUND, amount: 49 });
  assert.match(after?.text ?? '', /paid €129\.00 on 3 March · €80\.00 refunded so far/);
  assert.notEqual(after?.basis, before?.basis);
});

test('the same key refunds once, also in the next process', async (t) => {
  const { reopen, run } = await aShop(t);
  const first = await run('refund', REFUND, 'key-1');
  assert.equal(await run('refund', REFUND, 'key-1'), first);
  const next = reopen();
  assert.equal(await next.run('refund', REFUND, 'key-1'), first);
  await assert.rejects(next.run('refund', REFUND, 'key-2'), /Only €49\.00 of order A-10293/);
});

for (const [what, change, why] of [
  [
    'more than was paid',
    { amount: 129.01 },
    /Only €129\.00 of order A-10293 can still be refunded/,
  ],
  ['a nonexistent order', { order: 'A-99999' }, /There is no order A-99999/],
  ['another currency', { currency: 'USD' }, /was paid in EUR, not in USD/],
] as const) {
  test(`${what} is not refunded, and the card says so beforehand`, async (t) => {
    const { preview, run } = await aShop(t);
    const args = { ...REFUND, ...change };
    await assert.rejects(run('refund', args, 'key-1'), why);
    const shown = await preview('refund', args);
    assert.match(shown?.text ?? '', /would fail/);
    assert.match(shown?.text ?? '', why);
  });
}

test('every argument of a refund has a readable label, and half cents are no amount', async (t) => {
  const { get } = await aShop(t);
  const { properties } = get('refund').schema as { properties: Record<string, { title: string }> };
  assert.deepEqual(
    Object.values(properties).map(({ title }) => title),
    ['Order', 'Amount', 'Currency', 'Reason', 'Notify'],
  );
  assert.equal(get('refund').parse({ ...REFUND, amount: 79.9 }).ok, true);
  assert.equal(get('refund').parse({ ...REFUND, amount: 79.999 }).ok, false);
});

test('a transfer is made once per key, is stored, and shows the balance of the account', async (t) => {
  const { preview, reopen, run } = await aShop(t);
  const args = { to: 'payroll', amount: 4_800 };
  assert.equal(
    (await preview('transfer', args))?.text,
    'The payroll account holds €12,000.00 now.',
  );
  const said = await run('transfer', args, 'key-1');
  assert.equal(said, 'Moved €4,800.00. The payroll account holds €16,800.00 now.');
  assert.equal(await reopen().run('transfer', args, 'key-1'), said);
});
