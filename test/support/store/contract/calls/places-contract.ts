import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CardArrival,
  DigestMessages,
  MentionPlan,
} from '../../../../../src/domain/cards/digest-message.ts';
import { holdThread, type OpenBench, storeCall } from '../contract-store.ts';

const BURST = { over: 2, windowMs: 60_000, lifeMs: 3_600_000 };
const OPS = ['usergroup:S1', 'user:U2'] as const;

function addArrival(
  digestMessages: DigestMessages,
  callId: string,
  at: number,
  more: Partial<CardArrival> = {},
): Promise<MentionPlan> {
  return digestMessages.registerArrival({ channel: 'C9', callId, at, calls: OPS, ...more }, BURST);
}

/** The messages of a call besides its card. */
export function sidesContract(open: OpenBench): void {
  test('the other messages of a call are recorded one by one, and forgotten', async (t) => {
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

/** Cards posted to a channel one by one, and in a burst. */
export function digestMessagesContract(open: OpenBench): void {
  test('the first cards mention their approvers, and a burst gets one digest message that mentions them once', async (t) => {
    const { store } = await open(t);
    const { digestMessages } = store;
    assert.deepEqual(await addArrival(digestMessages, 'call_1', 1_000), { calls: OPS });
    assert.deepEqual(await addArrival(digestMessages, 'call_2', 2_000), { calls: OPS });
    const third = await addArrival(digestMessages, 'call_3', 3_000);
    assert.deepEqual(third.calls, []);
    const id = third.digestMessage ?? '';
    assert.notEqual(id, '');
    // Somebody not mentioned yet is mentioned by the card, and by one only.
    const lead = { calls: ['user:U2', 'user:U3'] as const };
    const joined = { calls: ['user:U3'], digestMessage: id };
    assert.deepEqual(await addArrival(digestMessages, 'call_4', 4_000, lead), joined);
    assert.deepEqual(await addArrival(digestMessages, 'call_5', 4_500, lead), {
      calls: [],
      digestMessage: id,
    });
    assert.deepEqual(await digestMessages.read(id), {
      id,
      channel: 'C9',
      since: 1_000,
      total: 5,
      waiting: 5,
      calls: OPS,
    });
    assert.deepEqual(await addArrival(digestMessages, 'call_6', 4_500, { channel: 'C8' }), {
      calls: OPS,
    });
  });

  test('a repeat mentions the same people, also after a restart, and is counted once', async (t) => {
    const bench = await open(t);
    const { digestMessages } = bench.store;
    for (const n of [1, 2, 3]) await addArrival(digestMessages, `call_${n}`, n * 1_000);
    const again = (await bench.reopen()).digestMessages;
    assert.deepEqual((await addArrival(again, 'call_1', 9_000)).calls, OPS);
    const { digestMessage = '', calls } = await addArrival(again, 'call_3', 900_000);
    assert.deepEqual(calls, []);
    assert.equal((await again.read(digestMessage))?.total, 3);
  });

  test('cards spread over time are no burst, and decided ones still count towards it', async (t) => {
    const { store } = await open(t);
    const { digestMessages } = store;
    await addArrival(digestMessages, 'call_1', 1_000);
    await addArrival(digestMessages, 'call_2', 2_000);
    assert.deepEqual(await addArrival(digestMessages, 'call_3', 61_001), { calls: OPS });
    assert.deepEqual(await digestMessages.removeArrival('call_3'), []);
    assert.deepEqual(await digestMessages.removeArrival('call_2'), []);
    const { digestMessage = '' } = await addArrival(digestMessages, 'call_4', 61_500);
    const its = await digestMessages.read(digestMessage);
    // The decided one is not added, nor are old ones.
    assert.deepEqual([its?.since, its?.total, its?.waiting], [61_500, 1, 1]);
  });

  test('a later burst, and a long one, gets another digest message', async (t) => {
    const { store } = await open(t);
    const { digestMessages } = store;
    for (const n of [1, 2, 3]) await addArrival(digestMessages, `call_${n}`, n);
    const first = (await addArrival(digestMessages, 'call_4', 4)).digestMessage ?? '';
    const later = 200_000;
    for (const n of [5, 6])
      assert.deepEqual((await addArrival(digestMessages, `call_${n}`, later)).calls, OPS);
    const second = (await addArrival(digestMessages, 'call_7', later)).digestMessage ?? '';
    assert.notEqual(second, first);
    assert.deepEqual((await digestMessages.read(first))?.waiting, 4);
    assert.deepEqual((await digestMessages.read(second))?.waiting, 3);
    let newest = second;
    for (let at = later; at < later + 4_000_000; at += 20_000) {
      newest = (await addArrival(digestMessages, `call_at_${at}`, at)).digestMessage ?? '';
    }
    assert.notEqual(newest, second);
  });

  test('a decided call leaves the digest message once, and an empty one is forgotten', async (t) => {
    const bench = await open(t);
    const { digestMessages } = bench.store;
    for (const n of [1, 2, 3]) await addArrival(digestMessages, `call_${n}`, n);
    const { digestMessage: id = '' } = await addArrival(digestMessages, 'call_3', 9);
    await digestMessages.place(id, { channel: 'C9', ts: '5.000500' });
    await addArrival(digestMessages, 'call_1', 4, { channel: 'C8' });
    assert.deepEqual(await digestMessages.removeArrival('call_1', 'C9'), []);
    assert.deepEqual(await digestMessages.removeArrival('call_1', 'C8'), [id]);
    assert.deepEqual(await digestMessages.removeArrival('call_1'), []);
    assert.deepEqual(await digestMessages.removeArrival('call_of_nobody'), []);
    assert.equal(await digestMessages.forget(id), false);
    const store = await bench.reopen();
    const { place, total, waiting } = (await store.digestMessages.read(id)) ?? {};
    assert.deepEqual([place, total, waiting], [{ channel: 'C9', ts: '5.000500' }, 3, 2]);
    assert.deepEqual(await store.digestMessages.removeArrival('call_2'), [id]);
    assert.deepEqual(await store.digestMessages.removeArrival('call_3'), [id]);
    assert.equal(await store.digestMessages.forget(id), true);
    assert.equal(await store.digestMessages.read(id), undefined);
    await store.digestMessages.place(id, { channel: 'C9', ts: '5.000500' });
    assert.equal(await store.digestMessages.read(id), undefined);
    // The burst continues: a new call gets another digest message.
    const { digestMessage: next } = await addArrival(store.digestMessages, 'call_9', 10);
    assert.notEqual(next, id);
    assert.notEqual(next, undefined);
  });

  test('another event of a call counts towards the burst, and the call is listed once', async (t) => {
    const { store } = await open(t);
    const { digestMessages } = store;
    await addArrival(digestMessages, 'call_1', 1_000);
    const remind = { occasion: 'remind:the night shift:1' };
    assert.deepEqual(await addArrival(digestMessages, 'call_1', 1_500, remind), { calls: OPS });
    const { digestMessage = '' } = await addArrival(digestMessages, 'call_2', 2_000, remind);
    assert.equal(
      (await addArrival(digestMessages, 'call_1', 2_500, { occasion: 'escalate' })).digestMessage,
      digestMessage,
    );
    assert.equal((await digestMessages.read(digestMessage))?.waiting, 2);
    assert.deepEqual(await digestMessages.removeArrival('call_1'), [digestMessage]);
    assert.equal((await digestMessages.read(digestMessage))?.waiting, 1);
  });

  test('simultaneous cards from several processes get one digest message', async (t) => {
    const { store } = await open(t);
    const welcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => addArrival(store.digestMessages, `call_${n}`, 1_000)),
    );
    const ids = new Set(welcomes.flatMap(({ digestMessage }) => digestMessage ?? []));
    assert.equal(ids.size, 1);
    assert.equal(welcomes.filter(({ calls }) => calls.length > 0).length, 2);
    const [id = ''] = ids;
    assert.equal((await store.digestMessages.read(id))?.waiting, 30);
    await store.digestMessages.removeArrival('call_0');
    assert.deepEqual(await store.digestMessages.callsOf(id, 3), ['call_1', 'call_10', 'call_11']);
    assert.equal((await store.digestMessages.callsOf(id, 99)).length, 29);
  });
}
