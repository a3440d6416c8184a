import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUDIT_GENESIS, firstBrokenEntry } from '../../../src/domain/audit.ts';
import { aDraft, eventsOf, holdThread, type OpenBench, stepTo, storeCall } from './store-bench.ts';

export function auditContract(open: OpenBench): void {
  test('entries form one chain without gaps, whoever wrote them', async (t) => {
    const bench = await open(t);
    await bench.store.audit.append([aDraft('a'), aDraft('b')]);
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const step = stepTo(call, 'approved', 'approve');
    await bench.store.ledger.write(call, [step], { audit: [aDraft('c')] });
    await Promise.all(['d', 'e', 'f'].map((event) => bench.store.audit.append([aDraft(event)])));
    await bench.store.audit.append([]);
    const entries = await bench.store.audit.read(1, 100);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6],
    );
    assert.equal(entries[0]?.previous, AUDIT_GENESIS);
    assert.equal(firstBrokenEntry(entries), undefined);
    const { at, event, subject, actor, detail } = entries[0];
    assert.deepEqual({ at, event, subject, actor, detail }, aDraft('a'));
  });

  test('entries are read from a number on, as many as asked for', async (t) => {
    const { store } = await open(t);
    await store.audit.append(['a', 'b', 'c', 'd'].map(aDraft));
    assert.deepEqual(
      (await store.audit.read(2, 2)).map(({ event }) => event),
      ['b', 'c'],
    );
    assert.deepEqual(await store.audit.read(5, 10), []);
  });

  test('an entry that was changed, taken out or put in is found', async (t) => {
    const { store } = await open(t);
    await store.audit.append(['a', 'b', 'c'].map(aDraft));
    const [a, b, c] = await store.audit.read(1, 10);
    assert.ok(a && b && c);
    assert.equal(firstBrokenEntry([a, { ...b, actor: 'T1/U9' }, c]), 2);
    assert.equal(firstBrokenEntry([a, { ...b, detail: { n: 2, why: 'ünïcode' } }, c]), 2);
    assert.equal(firstBrokenEntry([a, c]), 2);
    assert.equal(firstBrokenEntry([b, c]), 1);
    assert.equal(firstBrokenEntry([a, b, b, c]), 3);
    assert.equal(firstBrokenEntry([a, b, c]), undefined);
  });

  test('the first entries are removed with a note, and the rest keep their numbers and their chain', async (t) => {
    const bench = await open(t);
    const { audit } = bench.store;
    assert.deepEqual([await audit.newest(), await audit.removal()], [0, undefined]);
    await audit.append(['a', 'b', 'c', 'd'].map(aDraft));
    const [a, b, c, d] = await audit.read(1, 9);
    assert.ok(a && b && c && d);
    assert.equal(await audit.removeThrough({ seq: 2, hash: c.hash }, aDraft('no')), false);
    assert.equal(await audit.removeThrough({ seq: 9, hash: b.hash }, aDraft('no')), false);
    assert.equal(await audit.removeThrough(b, aDraft('note')), true);
    assert.equal(await audit.removeThrough(b, aDraft('again')), false);
    const store = await bench.reopen();
    await store.audit.append([aDraft('e')]);
    const left = await store.audit.read(1, 9);
    assert.deepEqual(
      left.map(({ event, seq }) => [seq, event]),
      [
        [3, 'c'],
        [4, 'd'],
        [5, 'note'],
        [6, 'e'],
      ],
    );
    assert.deepEqual(left[0], c);
    assert.deepEqual(await store.audit.read(2, 2), left.slice(0, 2));
    assert.deepEqual(await store.audit.read(4, 2), left.slice(1, 3));
    assert.equal(left[2]?.previous, d.hash);
    assert.deepEqual([await store.audit.newest(), await store.audit.removal()], [6, left[2]]);
    const [, , note] = left;
    assert.ok(note);
    assert.equal(await store.audit.removeThrough(note, aDraft('note of more')), true);
    assert.deepEqual(await eventsOf(store), ['e', 'note of more']);
    assert.equal((await store.audit.removal())?.event, 'note of more');
  });

  test('the chain goes on after a restart', async (t) => {
    const bench = await open(t);
    await bench.store.audit.append([aDraft('a')]);
    const store = await bench.reopen();
    await store.audit.append([aDraft('b')]);
    assert.deepEqual(await eventsOf(store), ['a', 'b']);
    assert.equal(firstBrokenEntry(await store.audit.read(1, 10)), undefined);
  });
}
