import assert from 'node:assert/strict';
import fs from 'node:fs';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import Database from 'better-sqlite3';
import { advanceTurnKey, deliverOutboxKey, runCallKey } from '../../../src/domain/ports/agenda.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import {
  aDraft,
  aMessage,
  aProposal,
  aSay,
  holdThread,
  OTHER_THREAD,
  stepTo,
  storeCall,
} from '../../support/store/contract/contract-store.ts';
import { holdInProcess, openStore, tempDir } from './open-store.ts';

const OPEN = { clock: createManualClock() };

describe('the SQLite file', () => {
  test('writes that somebody relies on wait for the disk, and recoverable ones do not', async (t) => {
    const { store, clock } = await openStore(t);
    const { agenda, history, inbox, ledger, outbox, saver } = store;
    const message = aMessage('1700000001.000100');
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: clock.now() }];
    const proposal = aProposal();
    const pending = stepTo(proposal, 'pending', 'gate');
    const fence = { thread: THREAD, token: 1_000_001 };
    const graph = {
      configurable: { thread_id: THREAD, fence_token: fence.token, checkpoint_ns: '' },
    };
    const checkpoint = { ...emptyCheckpoint(), id: 'a' };
    const about = { source: 'loop', step: 0, parents: {} } as const;
    const at = { channel: 'C1', ts: '1' };
    const turn = { id: message.id, settledAt: 1, messages: [] };
    const acts: readonly (readonly ['waits' | 'behind', () => Promise<unknown>])[] = [
      ['waits', () => inbox.receive(message, { wakes })],
      ['behind', () => agenda.claim(clock.now(), 1_000, 1)],
      ['behind', () => inbox.begin(message.id, {}, fence)],
      ['behind', () => saver.put(graph, checkpoint, about)],
      ['waits', () => ledger.propose(proposal, {}, fence)],
      ['waits', () => ledger.write(proposal, [pending], {})],
      ['behind', () => ledger.placeCard(proposal.id, at)],
      ['waits', () => outbox.add([aSay('s')], [])],
      ['behind', () => outbox.markSent('s')],
      ['behind', () => ledger.markDelivered([proposal.id], fence)],
      ['waits', () => history.append(THREAD, turn, {}, fence)],
      ['waits', () => inbox.end(message.id, 'turn', {}, fence)],
      ['waits', () => store.audit.append([aDraft('noted')])],
      ['waits', () => agenda.wake(wakes)],
    ];
    let syncs = 0;
    for (const name of ['fdatasync', 'fdatasyncSync'] as const) {
      const real = fs[name] as (...args: unknown[]) => unknown;
      t.mock.method(fs, name, (...args: unknown[]) => {
        syncs += 1;
        return real(...args);
      });
    }
    syncBuiltinESMExports();
    t.after(() => void setImmediate().then(syncBuiltinESMExports));
    assert.equal(saver.db.pragma('journal_mode', { simple: true }), 'wal');
    for (const [how, act] of acts) {
      syncs = 0;
      await act();
      assert.equal(syncs, how === 'waits' ? 1 : 0, String(act));
    }
  });

  test('creates a missing folder, accessible to its owner only', async (t) => {
    const dataDir = join(await tempDir(t), 'a', 'b');
    const { store } = await openStore(t, { dataDir });
    await store.check();
    assert.equal((await stat(dataDir)).mode & 0o077, 0);
  });

  test('syncs a new folder and its new parents to disk before use', async (t) => {
    const path = await tempDir(t);
    const synced: number[] = [];
    const { fsyncSync } = fs;
    t.mock.method(fs, 'fsyncSync', (folder: number) => {
      synced.push(fs.fstatSync(folder).ino);
      fsyncSync(folder);
    });
    syncBuiltinESMExports();
    t.after(() => void setImmediate().then(syncBuiltinESMExports));
    await openStore(t, { dataDir: join(path, 'a', 'b') });
    const above = await Promise.all([join(path, 'a'), path].map((each) => stat(each)));
    assert.deepEqual(
      synced,
      above.map(({ ino }) => ino),
    );
  });

  test('closing twice is harmless', async (t) => {
    const { store, dataDir } = await openStore(t);
    await store.close();
    await store.close();
    await openStore(t, { dataDir });
  });

  test('tasks of a dead process are due at once, with one more try counted', async (t) => {
    const { store, clock, dataDir } = await openStore(t);
    const key = runCallKey(callRef('call_a'));
    await store.agenda.wake([{ key, dueAt: clock.now() }]);
    const dead = await claimOne(store.agenda, clock.now(), 3_600_000);
    await store.close();
    const again = await openStore(t, { dataDir });
    assert.equal(await again.store.agenda.nextDueAt(), clock.now());
    const lease = await claimOne(again.store.agenda, clock.now(), 1_000);
    assert.deepEqual([lease?.key, lease?.tries], [key, 1]);
    assert.ok(lease && dead && lease.fence > dead.fence);
  });

  test('a message sent during a power cut is retried as possibly sent', async (t) => {
    const { store, clock, dataDir } = await openStore(t);
    const keys = [deliverOutboxKey(THREAD), runCallKey(callRef('call_a'))];
    const later = { key: deliverOutboxKey(OTHER_THREAD), dueAt: clock.now() + 1 };
    const wakes = [...keys.map((key) => ({ key, dueAt: clock.now() })), later];
    await store.outbox.add([aSay('a')], wakes);
    // Writes that waited for the disk are there, and later commits are not.
    const disk = await tempDir(t);
    const files = ['countersign.db', 'countersign.db-wal'];
    await Promise.all(files.map((file) => cp(join(dataDir, file), join(disk, file))));
    await store.agenda.claim(clock.now(), 1_000, 2);
    await store.outbox.markSent('a');
    const { store: after } = await openStore(t, { dataDir: disk });
    assert.equal((await after.outbox.pendingMessages(THREAD)).length, 1);
    const { leases } = await after.agenda.claim(clock.now() + 1, 1_000, 3);
    assert.deepEqual(
      leases.map(({ key, tries, deaths }) => [key, tries, deaths]),
      [
        [runCallKey(callRef('call_a')), 0, 0],
        [deliverOutboxKey(THREAD), 1, 0],
        [later.key, 0, 0],
      ],
    );
  });

  test('the listener is called for wake-ups after their commit, and for nothing else', async (t) => {
    let heard = 0;
    const { store } = await openStore(t, { onWake: () => (heard += 1) });
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    const message = aMessage('1700000001.000100');
    await store.inbox.receive(message, { wakes });
    assert.ok(heard > 0);
    heard = 0;
    await store.inbox.receive(message, { wakes });
    await store.audit.append([aDraft('a')]);
    await store.outbox.add([aSay('a')], []);
    const broken = { ...aDraft('a'), detail: { n: Number.NaN } };
    const another = aMessage('1700000002.000100');
    await assert.rejects(store.inbox.receive(another, { wakes, audit: [broken] }));
    assert.equal(heard, 0);
    await store.agenda.wake(wakes);
    assert.ok(heard > 0);
  });

  test('the first end of a message is kept', async (t) => {
    const { store, clock } = await openStore(t);
    const fence = await holdThread({ store, clock });
    const { id } = aMessage('1700000001.000100');
    await store.inbox.receive(aMessage('1700000001.000100'), {});
    await store.inbox.end(id, 'answered', {}, fence);
    await store.inbox.receive(aMessage('1700000002.000100'), {
      messageEnds: [{ id, how: 'reply' }],
    });
    const text = store.saver.db
      .prepare<[string], string>('SELECT document FROM records WHERE key = ?')
      .pluck()
      .get(`message/${id}`);
    assert.equal(JSON.parse(text ?? '').state, 'answered');
  });
});

describe('one process owns the folder', () => {
  test('a second store is refused', async (t) => {
    const { store, dataDir } = await openStore(t);
    assert.throws(() => createSqliteStore({ dataDir, ...OPEN }), /Another Countersign process/);
    await store.check();
  });

  test('a second process is refused', async (t) => {
    const { store, dataDir } = await openStore(t);
    const { said } = await holdInProcess(t, dataDir);
    assert.match(said, /Another Countersign process is running .* set another DATA_DIR/);
    await store.check();
  });

  test('a killed process releases the folder, and its committed data is there', async (t) => {
    const dataDir = await tempDir(t);
    const { said, kill } = await holdInProcess(t, dataDir);
    assert.match(said, /^holding 1000001$/m);
    assert.throws(() => createSqliteStore({ dataDir, ...OPEN }), /Another Countersign process/);
    await kill();
    const { store, clock } = await openStore(t, { dataDir });
    assert.deepEqual(await store.inbox.waiting(THREAD), [aMessage('1700000001.000100')]);
    assert.equal((await claimOne(store.agenda, clock.now(), 1_000))?.tries, 1);
  });
});

describe('if it cannot be opened or written, the error names the cause and the fix', () => {
  test('a file in place of the folder', async (t) => {
    const dataDir = join(await tempDir(t), 'file');
    await writeFile(dataDir, '');
    assert.throws(() => createSqliteStore({ dataDir, ...OPEN }), /a file where .* DATA_DIR/);
  });

  test('a folder in place of the database', async (t) => {
    const dataDir = await tempDir(t);
    await mkdir(join(dataDir, 'countersign.db'));
    assert.throws(
      () => createSqliteStore({ dataDir, ...OPEN }),
      /countersign\.db is not usable: .*(folder|can’t be opened).* DATA_DIR/,
    );
  });

  test('a file that is not a database', async (t) => {
    const dataDir = await tempDir(t);
    await writeFile(join(dataDir, 'countersign.db'), 'not a database '.repeat(1_000));
    const open = () => createSqliteStore({ dataDir, ...OPEN });
    assert.throws(open, /countersign\.db is not usable: it is damaged.*backup/);
    // The lock was released: the second error is the same.
    assert.throws(open, /damaged/);
  });

  test('data of another version, which stays unchanged', async (t) => {
    const dataDir = await tempDir(t);
    const { store } = await openStore(t, { dataDir });
    await store.close();
    const file = join(dataDir, 'countersign.db');
    for (const [version, why] of [
      [18, /before its first release: its version is 18.*Nothing was changed.*another DATA_DIR/],
      [999, /written by a newer Countersign: its version is 999/],
    ] as const) {
      const db = new Database(file);
      db.pragma(`user_version = ${version}`);
      db.close();
      const before = await readFile(file);
      assert.throws(() => createSqliteStore({ dataDir, ...OPEN }), why);
      assert.deepEqual(await readFile(file), before);
    }
  });

  test('a full disk', async (t) => {
    const { store } = await openStore(t);
    const pages = store.saver.db.pragma('page_count', { simple: true });
    store.saver.db.pragma(`max_page_count = ${pages}`);
    const text = 'x'.repeat(100_000);
    const message = aMessage('1700000001.000100', { text });
    await assert.rejects(store.inbox.receive(message, {}), /the disk is full .*Free some space/);
    assert.deepEqual(await store.inbox.waiting(THREAD), []);
  });

  test('a read-only database', async (t) => {
    const { store } = await openStore(t);
    await store.check();
    store.saver.db.pragma('query_only = ON');
    await assert.rejects(store.check(), /is not writable .*DATA_DIR/);
  });
});

describe('stored data is not trusted', () => {
  test('a call with a changed document is returned as stored', async (t) => {
    const { store, clock } = await openStore(t);
    const call = await storeCall(store, await holdThread({ store, clock }), 'pending');
    const { db } = store.saver;
    db.prepare(
      `UPDATE records SET document = json_set(document, '$.args', '{"x":1}') WHERE key LIKE 'call/%'`,
    ).run();
    const stored = await store.ledger.get(call.id);
    assert.deepEqual(stored, { ...call, args: '{"x":1}' });
    assert.ok(stored);
    assert.equal(
      await store.ledger.write(stored, [stepTo(stored, 'failed', 'integrity')], {}),
      true,
    );
  });

  test('a call with an unreadable document is named in the error', async (t) => {
    const { store, clock } = await openStore(t);
    const call = await storeCall(store, await holdThread({ store, clock }), 'pending');
    for (const document of ['{"id":', 'null', '{}', '"text"', '{"id":"another"}']) {
      const { db } = store.saver;
      db.prepare(`UPDATE records SET document = ? WHERE key LIKE 'call/%'`).run(document);
      await assert.rejects(store.ledger.get(call.id), new RegExp(`${call.id} cannot be read`));
      await assert.rejects(store.ledger.ofThread(THREAD), new RegExp(call.id));
    }
  });
});
