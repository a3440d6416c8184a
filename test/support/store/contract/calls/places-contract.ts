import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CardArrival,
  DigestMessages,
  MentionPlan,
} from '../../../../../src/domain/cards/digest-message.ts';
import { holdThread, type OpenBench, storeCall } from '../contract-store.ts';

const CROWDING = { over: 2, windowMs: 60_000, lifeMs: 3_600_000 };
const OPS = ['usergroup:S1', 'user:U2'] as const;

function arrive(
  bulletins: DigestMessages,
  callId: string,
  at: number,
  more: Partial<CardArrival> = {},
): Promise<MentionPlan> {
  return bulletins.registerArrival({ channel: 'C9', callId, at, calls: OPS, ...more }, CROWDING);
}

/** The messages of a call besides its card. */
export function sidesContract(open: OpenBench): void {
  test('the other messages of a call are remembered one by one, and forgotten', async (t) => {
    const bench = await open(t);
    const { id } = await storeCall(bench.store, await holdThread(bench), 'pending');
    const { ledger } = bench.store;
    assert.deepEqual(await ledger.sideMessagesOf(id), {});
    await ledger.placeCard(id, { channel: 'C9', ts: '1.000100' });
    await ledger.placeSideMessage(id, 'stub', { channel: 'C1', ts: '2.000200' });
    await ledger.placeSideMessage(id, 'left', { channel: 'C7', ts: '3.000300' });
    await ledger.placeSideMessage(id, 'refused', { channel: 'C9', ts: '' });
    await ledger.placeSideMessage(id, 'stub', { channel: 'C1', ts: '4.000400' });
    await ledger.placeSideMessage(id, 'left', undefined);
    await ledger.placeSideMessage(id, 'left', undefined);
    const store = await bench.reopen();
    assert.deepEqual(await store.ledger.sideMessagesOf(id), {
      stub: { channel: 'C1', ts: '4.000400' },
      refused: { channel: 'C9', ts: '' },
    });
    assert.deepEqual(await store.ledger.cardOf(id), { channel: 'C9', ts: '1.000100' });
    assert.deepEqual(await store.ledger.sideMessagesOf('call_of_nobody'), {});
  });
}

/** Cards that come to a channel one by one, and in a crowd. */
export function bulletinsContract(open: OpenBench): void {
  test('the first cards call their people, and a crowd has one bulletin that calls them once', async (t) => {
    const { store } = await open(t);
    const { bulletins } = store;
    assert.deepEqual(await arrive(bulletins, 'call_1', 1_000), { calls: OPS });
    assert.deepEqual(await arrive(bulletins, 'call_2', 2_000), { calls: OPS });
    const third = await arrive(bulletins, 'call_3', 3_000);
    assert.deepEqual(third.calls, []);
    const id = third.bulletin ?? '';
    assert.notEqual(id, '');
    // Somebody whom it has not called yet is called by the card, and by one only.
    const lead = { calls: ['user:U2', 'user:U3'] as const };
    const joined = { calls: ['user:U3'], bulletin: id };
    assert.deepEqual(await arrive(bulletins, 'call_4', 4_000, lead), joined);
    assert.deepEqual(await arrive(bulletins, 'call_5', 4_500, lead), { calls: [], bulletin: id });
    assert.deepEqual(await bulletins.read(id), {
      id,
      channel: 'C9',
      since: 1_000,
      total: 5,
      waiting: 5,
      calls: OPS,
    });
    assert.deepEqual(await arrive(bulletins, 'call_6', 4_500, { channel: 'C8' }), { calls: OPS });
  });

  test('a repeat calls the same people, also after a restart, and counts nothing', async (t) => {
    const bench = await open(t);
    const { bulletins } = bench.store;
    for (const n of [1, 2, 3]) await arrive(bulletins, `call_${n}`, n * 1_000);
    const again = (await bench.reopen()).bulletins;
    assert.deepEqual((await arrive(again, 'call_1', 9_000)).calls, OPS);
    const { bulletin = '', calls } = await arrive(again, 'call_3', 900_000);
    assert.deepEqual(calls, []);
    assert.equal((await again.read(bulletin))?.total, 3);
  });

  test('cards with time between them are no crowd, and those that wait no more count for it still', async (t) => {
    const { store } = await open(t);
    const { bulletins } = store;
    await arrive(bulletins, 'call_1', 1_000);
    await arrive(bulletins, 'call_2', 2_000);
    assert.deepEqual(await arrive(bulletins, 'call_3', 61_001), { calls: OPS });
    assert.deepEqual(await bulletins.removeArrival('call_3'), []);
    assert.deepEqual(await bulletins.removeArrival('call_2'), []);
    const { bulletin = '' } = await arrive(bulletins, 'call_4', 61_500);
    const its = await bulletins.read(bulletin);
    // The one that was decided is not taken in, nor are those of long ago.
    assert.deepEqual([its?.since, its?.total, its?.waiting], [61_500, 1, 1]);
  });

  test('a later crowd, and one that lasts for long, has another bulletin', async (t) => {
    const { store } = await open(t);
    const { bulletins } = store;
    for (const n of [1, 2, 3]) await arrive(bulletins, `call_${n}`, n);
    const first = (await arrive(bulletins, 'call_4', 4)).bulletin ?? '';
    const later = 200_000;
    for (const n of [5, 6])
      assert.deepEqual((await arrive(bulletins, `call_${n}`, later)).calls, OPS);
    const second = (await arrive(bulletins, 'call_7', later)).bulletin ?? '';
    assert.notEqual(second, first);
    assert.deepEqual((await bulletins.read(first))?.waiting, 4);
    assert.deepEqual((await bulletins.read(second))?.waiting, 3);
    let newest = second;
    for (let at = later; at < later + 4_000_000; at += 20_000) {
      newest = (await arrive(bulletins, `call_at_${at}`, at)).bulletin ?? '';
    }
    assert.notEqual(newest, second);
  });

  test('what waits no more leaves the bulletin once, which is forgotten when it is empty', async (t) => {
    const bench = await open(t);
    const { bulletins } = bench.store;
    for (const n of [1, 2, 3]) await arrive(bulletins, `call_${n}`, n);
    const { bulletin: id = '' } = await arrive(bulletins, 'call_3', 9);
    await bulletins.place(id, { channel: 'C9', ts: '5.000500' });
    await arrive(bulletins, 'call_1', 4, { channel: 'C8' });
    assert.deepEqual(await bulletins.removeArrival('call_1', 'C9'), []);
    assert.deepEqual(await bulletins.removeArrival('call_1', 'C8'), [id]);
    assert.deepEqual(await bulletins.removeArrival('call_1'), []);
    assert.deepEqual(await bulletins.removeArrival('call_of_nobody'), []);
    assert.equal(await bulletins.forget(id), false);
    const store = await bench.reopen();
    const { place, total, waiting } = (await store.bulletins.read(id)) ?? {};
    assert.deepEqual([place, total, waiting], [{ channel: 'C9', ts: '5.000500' }, 3, 2]);
    assert.deepEqual(await store.bulletins.removeArrival('call_2'), [id]);
    assert.deepEqual(await store.bulletins.removeArrival('call_3'), [id]);
    assert.equal(await store.bulletins.forget(id), true);
    assert.equal(await store.bulletins.read(id), undefined);
    await store.bulletins.place(id, { channel: 'C9', ts: '5.000500' });
    assert.equal(await store.bulletins.read(id), undefined);
    // The crowd goes on: who comes now has another one.
    const { bulletin: next } = await arrive(store.bulletins, 'call_9', 10);
    assert.notEqual(next, id);
    assert.notEqual(next, undefined);
  });

  test('another occasion of a call counts for the crowd, and the call waits once', async (t) => {
    const { store } = await open(t);
    const { bulletins } = store;
    await arrive(bulletins, 'call_1', 1_000);
    const remind = { occasion: 'remind:the night shift:1' };
    assert.deepEqual(await arrive(bulletins, 'call_1', 1_500, remind), { calls: OPS });
    const { bulletin = '' } = await arrive(bulletins, 'call_2', 2_000, remind);
    assert.equal(
      (await arrive(bulletins, 'call_1', 2_500, { occasion: 'escalate' })).bulletin,
      bulletin,
    );
    assert.equal((await bulletins.read(bulletin))?.waiting, 2);
    assert.deepEqual(await bulletins.removeArrival('call_1'), [bulletin]);
    assert.equal((await bulletins.read(bulletin))?.waiting, 1);
  });

  test('cards that come at once, from several processes, have one bulletin', async (t) => {
    const { store } = await open(t);
    const welcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => arrive(store.bulletins, `call_${n}`, 1_000)),
    );
    const ids = new Set(welcomes.flatMap(({ bulletin }) => bulletin ?? []));
    assert.equal(ids.size, 1);
    assert.equal(welcomes.filter(({ calls }) => calls.length > 0).length, 2);
    const [id = ''] = ids;
    assert.equal((await store.bulletins.read(id))?.waiting, 30);
    await store.bulletins.removeArrival('call_0');
    assert.deepEqual(await store.bulletins.callsOf(id, 3), ['call_1', 'call_10', 'call_11']);
    assert.equal((await store.bulletins.callsOf(id, 99)).length, 29);
  });
}
