import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOrigin } from '../../../../../src/domain/calls/call-origin.ts';
import { type ApiKey, revokeKey, rotateKey } from '../../../../../src/domain/people/api-key.ts';
import { channelKey } from '../../../../../src/domain/threads/thread-key.ts';
import { aDraft, aProposal, eventsOf, type OpenBench, stepTo } from '../contract-store.ts';

const KEY: ApiKey = {
  id: '0123456789abcdef',
  name: 'deploy bot',
  hash: 'a'.repeat(64),
  scopes: ['request'],
  channels: [],
  createdAt: 5,
  revision: 1,
};

export function keysContract(open: OpenBench): void {
  test('keys are listed in order of creation, and survive a restart', async (t) => {
    const bench = await open(t);
    assert.deepEqual(await bench.store.keys.list(), []);
    assert.equal(await bench.store.keys.get(KEY.id), undefined);
    const second = { ...KEY, id: 'fedcba9876543210', name: 'ünïcode %s \\ "x"', owner: 'U0ASK' };
    assert.equal(await bench.store.keys.add(KEY, { audit: [aDraft('first')] }), true);
    assert.equal(await bench.store.keys.add(second, {}), true);
    assert.equal(
      await bench.store.keys.add({ ...KEY, name: 'other' }, { audit: [aDraft('no')] }),
      false,
    );
    const store = await bench.reopen();
    assert.deepEqual(await store.keys.list(), [KEY, second]);
    assert.deepEqual(await store.keys.get(second.id), second);
    assert.deepEqual(await eventsOf(store), ['first']);
  });

  test('of concurrent changes to a key, the first is written with its effects', async (t) => {
    const { store } = await open(t);
    await store.keys.add(KEY, {});
    const rotated = rotateKey(KEY, 'b'.repeat(64), 99);
    const revoked = revokeKey(KEY, 7);
    const written = await Promise.all([
      store.keys.change(rotated, { audit: [aDraft('rotate')] }),
      store.keys.change(revoked, { audit: [aDraft('revoke')] }),
    ]);
    assert.deepEqual(written, [true, false]);
    assert.deepEqual(await store.keys.get(KEY.id), rotated);
    assert.deepEqual(await eventsOf(store), ['rotate']);
    assert.equal(await store.keys.change({ ...revoked, id: '0'.repeat(16) }, {}), false);
  });

  test('calls are found newest first, by the key that requested them or for all keys', async (t) => {
    const { store } = await open(t);
    const propose = async (n: number, key: string | undefined) => {
      const outside: CallOrigin | undefined =
        key === undefined ? undefined : { by: 'key', name: 'x', key };
      const call = aProposal({
        id: `call_${String(n).padStart(22, '0')}`,
        thread: channelKey({ team: 'T1', channel: 'C1' }),
        messageId: key === undefined ? 'ai_1' : `key:${key}`,
        toolCallId: `tc_${n}`,
        ...(outside && { outside }),
      });
      await store.ledger.propose(call, {});
      return call;
    };
    const made = [];
    for (const [n, key] of ['k1', 'k2', undefined, 'k1', 'k1'].entries())
      made.push(await propose(n, key));
    const ids = async (page: Parameters<typeof store.ledger.newest>[0]) =>
      (await store.ledger.newest(page)).map(({ id }) => Number(id.slice(-1)));
    assert.deepEqual(await ids({ key: 'k1', limit: 9 }), [4, 3, 0]);
    assert.deepEqual(await ids({ key: 'k1', limit: 1 }), [4]);
    assert.deepEqual(await ids({ key: 'k1', limit: 9, before: made[3]?.id }), [0]);
    assert.deepEqual(await ids({ key: 'k3', limit: 9 }), []);
    assert.deepEqual(await ids({ limit: 9 }), [4, 3, 2, 1, 0]);
    assert.deepEqual(await ids({ limit: 2, before: made[3]?.id }), [2, 1]);
  });

  test('pending calls are counted by the key that requested them', async (t) => {
    const { store } = await open(t);
    const count = () => Promise.all(['k1', 'k2'].map((key) => store.ledger.countPendingOfKey(key)));
    const call = aProposal({ outside: { by: 'key', name: 'x', key: 'k1' } });
    await store.ledger.propose(call, {});
    assert.deepEqual(await count(), [0, 0]);
    const pending = stepTo(call, 'pending', 'gate');
    assert.equal(await store.ledger.write(call, [pending], {}), true);
    assert.deepEqual(await count(), [1, 0]);
    assert.equal(
      await store.ledger.write(pending.call, [stepTo(pending.call, 'withdrawn', 'withdraw')], {}),
      true,
    );
    assert.deepEqual(await count(), [0, 0]);
  });
}
