import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aDraft,
  eventsOf,
  holdThread,
  type OpenBench,
  stepTo,
  storeCall,
} from './contract-store.ts';

export function auditContract(open: OpenBench): void {
  test('entries are numbered without gaps, whoever writes them, and the audit is intact', async (t) => {
    const bench = await open(t);
    const { audit } = bench.store;
    await audit.append([aDraft('a'), aDraft('b')]);
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const step = stepTo(call, 'approved', 'approve');
    await bench.store.ledger.write(call, [step], {
      audit: [{ ...aDraft('c'), subject: call.id }],
    });
    await Promise.all(['d', 'e', 'f'].map((event) => audit.append([aDraft(event)])));
    await audit.append([]);
    const entries = await audit.read(1, 100);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6],
    );
    assert.ok(entries[0]);
    const { at, event, subject, actor, detail, revision } = entries[0];
    assert.deepEqual({ at, event, subject, actor, detail }, aDraft('a'));
    assert.equal(revision, undefined);
    assert.equal(typeof entries[2]?.revision, 'number', 'of the call that its commit changed');
    const { checked, fault, sealedThrough } = await audit.check();
    assert.deepEqual([checked, fault, sealedThrough], [6, undefined, 0]);
  });

  test('entries are read from a given number, up to a limit', async (t) => {
    const { store } = await open(t);
    await store.audit.append(['a', 'b', 'c', 'd'].map(aDraft));
    assert.deepEqual(
      (await store.audit.read(2, 2)).map(({ event }) => event),
      ['b', 'c'],
    );
    assert.deepEqual(await store.audit.read(5, 10), []);
  });

  test('texts of every length and script are stored unchanged', async (t) => {
    const { store } = await open(t);
    const subjects = Array.from({ length: 140 }, (_, length) => 'ü"\\🚀\u0000'.repeat(length));
    await store.audit.append(subjects.map((subject, i) => ({ ...aDraft('x'.repeat(i)), subject })));
    const found = await store.audit.read(1, 1_000);
    assert.deepEqual(
      found.map(({ subject }) => subject),
      subjects,
    );
    assert.equal((await store.audit.check()).fault, undefined);
  });

  test('old sealed entries are removed, an entry records it, and the rest keep their numbers', async (t) => {
    const bench = await open(t);
    const { audit } = bench.store;
    assert.equal(await audit.newest(), 0);
    const drafts = ['a', 'b', 'c', 'd'].map((event, i) => ({ ...aDraft(event), at: 10 * (i + 1) }));
    await audit.append(drafts);
    assert.equal(await audit.removeOlder(25, 99), 0, 'nothing is sealed yet');
    assert.equal(await audit.seal(50), undefined);
    assert.equal(await audit.removeOlder(10, 99), 0, 'nothing is that old');
    assert.equal(await audit.removeOlder(25, 99), 2);
    assert.equal(await audit.removeOlder(25, 99), 0);
    const store = await bench.reopen();
    await store.audit.append([aDraft('e')]);
    const left = await store.audit.read(1, 9);
    assert.deepEqual(
      left.map(({ event, seq }) => [seq, event]),
      [
        [3, 'c'],
        [4, 'd'],
        [5, 'audit.remove'],
        [6, 'e'],
      ],
    );
    assert.deepEqual(left[2]?.detail, { before: 25, count: 2, through: 2 });
    assert.deepEqual(await store.audit.read(2, 2), left.slice(0, 2));
    assert.deepEqual(await store.audit.read(4, 2), left.slice(1, 3));
    assert.equal(await store.audit.newest(), 6);
    const { checked, fault, removedThrough } = await store.audit.check();
    assert.deepEqual([checked, fault, removedThrough], [4, undefined, 2]);
    await store.audit.seal(60);
    assert.equal(await store.audit.removeOlder(10_000_000_000_000, 99), 4);
    assert.deepEqual(await eventsOf(store), ['audit.remove']);
    assert.equal((await store.audit.check()).fault, undefined);
  });

  test('is sealed once by several concurrent callers, and again after a restart', async (t) => {
    const bench = await open(t);
    const { audit } = bench.store;
    await audit.append(['a', 'b'].map(aDraft));
    const faults = await Promise.all([audit.seal(7), audit.seal(7), audit.seal(7)]);
    assert.deepEqual(faults, [undefined, undefined, undefined]);
    const store = await bench.reopen();
    await store.audit.append([aDraft('c')]);
    assert.deepEqual(await eventsOf(store), ['a', 'b', 'c']);
    assert.equal((await store.audit.check()).sealedThrough, 2);
    await store.audit.seal(8);
    const { fault, sealedAt, sealedThrough } = await store.audit.check();
    assert.deepEqual([fault, sealedAt, sealedThrough], [undefined, 8, 3]);
  });
}
