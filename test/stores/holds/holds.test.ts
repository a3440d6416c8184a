import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type AgendaKey,
  advanceTurnKey,
  deliverOutboxKey,
  renderCardKey,
} from '../../../src/domain/ports/agenda.ts';
import type { Outbox } from '../../../src/domain/ports/store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { aSay } from '../../support/store/contract/contract-store.ts';
import { watchSyncs } from '../../support/store/watch-syncs.ts';
import { openStore } from '../sqlite/open-store.ts';

const LEASE_MS = 1_000;
const REDRAW = renderCardKey({ id: 'call_a', thread: THREAD });

/** A thread of which two tasks are in hand. */
async function openThread(t: TestContext) {
  const { clock, store } = await openStore(t, { onWake: () => {} });
  const { agenda } = store;
  const wake = (...keys: readonly AgendaKey[]) =>
    agenda.wake(keys.map((key) => ({ key, dueAt: clock.now() })));
  const claim = async () => (await agenda.claim(clock.now(), LEASE_MS, 3)).leases;
  await wake(advanceTurnKey(THREAD), deliverOutboxKey(THREAD));
  const [pump, say] = await claim();
  assert.ok(pump && say);
  return { agenda, clock, pump, say, store, wake, claim };
}

/** Until what was begun waits for the disk. */
async function untilWritten(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
}

test('what is asked for once more while it ends comes once more', async (t) => {
  const { agenda, claim, pump, say, wake } = await openThread(t);
  const asked = wake(say.key);
  await untilWritten();
  await Promise.all([asked, agenda.finish(say)]);
  await agenda.finish(pump);
  const [again] = await claim();
  assert.deepEqual(again?.key, say.key);
});

test('a thread that is given back while its hold is renewed is free for what comes next', async (t) => {
  const { agenda, claim, clock, pump, say, wake } = await openThread(t);
  await agenda.postpone(say, clock.now() + 10);
  await wake(say.key);
  const [sooner] = await claim();
  assert.deepEqual(sooner?.key, say.key);
  await agenda.finish(sooner);
  await clock.advance(10);
  await Promise.all([claim(), agenda.finish(pump)]);
  assert.deepEqual(await claim(), []);
  await wake(REDRAW);
  const [next] = await claim();
  assert.deepEqual(next?.key, REDRAW);
});

for (const [what, look] of [
  [
    'a list',
    async ({ pendingMessages: unsaid }: Outbox) => assert.equal((await unsaid(THREAD)).length, 1),
  ],
  ['a record', ({ markSent: markSaid }: Outbox) => markSaid('a')],
] as const) {
  test(`${what} that a holder keeps in memory is told of once it is on the disk`, async (t) => {
    const { agenda, say, store } = await openThread(t);
    const { outbox } = store;
    await agenda.within(say, async () => {
      assert.deepEqual(await outbox.pendingMessages(THREAD), []);
      const order: string[] = [];
      watchSyncs(t, () => order.push('on the disk'));
      const promised = outbox.add([aSay('a')], []);
      await untilWritten();
      await look(outbox);
      order.push('told');
      await promised;
      assert.deepEqual(order, ['on the disk', 'told']);
    });
  });
}
