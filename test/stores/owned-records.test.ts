/** Every stored document names its workspace and its enterprise. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { DamagedRecordError } from '../../src/domain/audit/damaged-record.ts';
import { threadKey } from '../../src/domain/threads/thread-key.ts';
import { openForCommand } from '../../src/stores/open-for-command.ts';
import { createOwnedRecords } from '../../src/stores/owned-records.ts';
import type { Commit, Records } from '../../src/stores/records.ts';
import { createKeys } from '../../src/stores/repositories/settings.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../src/stores/sqlite/sqlite-records.ts';
import { callIn } from '../commands/audit/audit-stage.ts';
import { THREAD } from '../support/builders/a-call.ts';
import { aMessage, aSay } from '../support/store/contract/contract-store.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import {
  aKey,
  OF_INSTALLATION,
  OF_THREADS,
  writeSettings,
  writeThread,
} from './backend-contract/every-kind.ts';
import { openRawStore, type RawStore } from './raw-store.ts';
import { SILENT } from './redis/open-store.ts';

const OURS = { workspace: 'T1', enterprise: 'E1' };
const SIBLING = threadKey({ team: 'T2', channel: 'C1', ts: '1700000000.000100' });

/** The owner of each stored document, by its key. */
async function ownersOf(raw: RawStore): Promise<ReadonlyMap<string, object>> {
  const found = [...(await raw.documents())].map(([key, document]) => {
    const { workspace, enterprise } = JSON.parse(document);
    return [key, { workspace, ...(enterprise && { enterprise }) }] as const;
  });
  return new Map(found);
}

const kindOf = (key: string) => key.slice(0, key.indexOf('/'));
const kindsIn = (keys: Iterable<string>) => [...new Set([...keys].map(kindOf))].sort();

for (const kind of ['SQLite', 'Redis'] as const) {
  describe(`a stored document on ${kind}`, () => {
    test('names its workspace and enterprise, for every kind of record', async (t) => {
      const raw = await openRawStore(t, kind);
      const store = await raw.open();
      await store.belongTo(OURS);
      await writeThread({ store, clock: raw.clock }, THREAD);
      await writeSettings({ store, clock: raw.clock });
      // It tries to write.
      if (kind === 'SQLite') await store.check();
      // Closing seals the audit.
      await raw.close();
      const owners = await ownersOf(raw);
      const tried = kind === 'SQLite' ? ['tried'] : [];
      assert.deepEqual(
        kindsIn(owners.keys()),
        [...OF_THREADS, ...OF_INSTALLATION, ...tried].sort(),
      );
      for (const [key, owner] of owners) assert.deepEqual(owner, OURS, key);
    });

    test('names the workspace of its thread if that is a sibling workspace', async (t) => {
      const raw = await openRawStore(t, kind);
      const store = await raw.open();
      await store.belongTo(OURS);
      await writeThread({ store, clock: raw.clock }, SIBLING);
      const theirs = [...(await ownersOf(raw))].filter(([key]) =>
        OF_THREADS.some((each) => each === kindOf(key)),
      );
      assert.deepEqual(kindsIn(theirs.map(([key]) => key)), [...OF_THREADS]);
      for (const [key, owner] of theirs) assert.deepEqual(owner, { ...OURS, workspace: 'T2' }, key);
    });

    test('is read without its owner, also after a restart, and names no enterprise if there is none', async (t) => {
      const raw = await openRawStore(t, kind);
      let store = await raw.open();
      await store.belongTo({ workspace: 'T1' });
      await store.keys.add(aKey('k1'), {});
      await store.outbox.add([aSay('one')], []);
      for (let starts = 0; starts < 2; starts += 1) {
        assert.deepEqual(await store.keys.get('k1'), aKey('k1'));
        assert.deepEqual(await store.keys.list(), [aKey('k1')]);
        assert.deepEqual(await store.outbox.pendingMessages(THREAD), [aSay('one')]);
        store = await raw.open();
      }
      const document = (await raw.documents()).get('key/k1') ?? '';
      assert.equal(document, `{"workspace":"T1",${JSON.stringify(aKey('k1')).slice(1)}`);
    });

    test('gets its owner once the workspace is known, in any number, and is not rewritten later', async (t) => {
      const raw = await openRawStore(t, kind);
      const made = await callIn(raw.env, ['keys', 'create', '--name', 'early']);
      assert.equal(made.code, 0, made.err);
      let store = await raw.open();
      const until = raw.clock.now() + 1_000;
      for (let n = 0; n < 501; n += 1) await store.drafts.keep(`form${n}`, 'typed', until);
      const before = await raw.documents();
      await store.drafts.drop('form7');
      await store.belongTo(OURS);
      for (const [key, owner] of await ownersOf(raw)) assert.deepEqual(owner, OURS, key);
      assert.equal((await raw.documents()).size, before.size);
      const keys = await store.keys.list();
      assert.deepEqual(
        keys.map(({ name }) => name),
        ['early'],
      );
      const after = await raw.documents();
      store = await raw.open();
      await store.belongTo(OURS);
      assert.deepEqual(await raw.documents(), after);
    });

    test('is labelled by commands beside the app, also by one that started before the app knew its workspace', async (t) => {
      const raw = await openRawStore(t, kind);
      const store = await raw.open();
      const beside = await openForCommand(raw.place, 'write', SILENT);
      raw.beforeEnd(beside.close);
      const early = createKeys(beside.records);
      await early.add(aKey('before'), {});
      await store.belongTo(OURS);
      assert.equal(await early.add(aKey('after'), {}), true);
      const made = await callIn(raw.env, ['keys', 'create', '--name', 'late']);
      assert.equal(made.code, 0, made.err);
      const owners = [...(await ownersOf(raw))].filter(([key]) => kindOf(key) === 'key');
      assert.equal(owners.length, 3);
      for (const [key, owner] of owners) assert.deepEqual(owner, OURS, key);
    });

    test('of one workspace is refused to another and stays unchanged', async (t) => {
      const raw = await openRawStore(t, kind);
      await (await raw.open()).belongTo(OURS);
      const before = await raw.documents();
      const setting = kind === 'SQLite' ? 'DATA_DIR' : 'REDIS_PREFIX';
      const store = await raw.open();
      const says = new RegExp(
        `belongs to the workspace T1, .* in T2.*Start the app in T1.*another ${setting}`,
      );
      const theirs = { workspace: 'T2', enterprise: 'E1' };
      await assert.rejects(store.belongTo(theirs), says);
      const beside = await openForCommand(raw.place, 'read', SILENT);
      raw.beforeEnd(beside.close);
      await assert.rejects(beside.checkOwner(theirs), says);
      await beside.checkOwner({ workspace: 'T1' });
      assert.deepEqual(await raw.documents(), before);
    });

    test('names the enterprise once the workspace has joined it', async (t) => {
      const raw = await openRawStore(t, kind);
      let store = await raw.open();
      await store.belongTo({ workspace: 'T1' });
      await store.drafts.keep('form', 'typed', raw.clock.now() + 1_000);
      store = await raw.open();
      await store.belongTo(OURS);
      const beside = await openForCommand(raw.place, 'write', SILENT);
      raw.beforeEnd(beside.close);
      await createKeys(beside.records).add(aKey('k1'), {});
      const owners = await ownersOf(raw);
      assert.deepEqual(owners.get('typed/form'), { workspace: 'T1' });
      assert.deepEqual(owners.get('workspace/only'), OURS);
      assert.deepEqual(owners.get('key/k1'), OURS);
    });

    for (const [what, change] of [
      ['is cut off', (text: string) => text.slice(0, -9)],
      ['is cut off in its workspace', () => '{"workspace":"T'],
      ['has nothing but its workspace', () => '{"workspace":"T1"'],
      ['is no object', () => 'null'],
      ['is empty', () => ''],
    ] as const) {
      test(`is damaged if it ${what}, and the app still starts`, async (t) => {
        const raw = await openRawStore(t, kind);
        let store = await raw.open();
        await store.keys.add(aKey('unknown'), {});
        await raw.overwrite('key/unknown', change);
        await store.belongTo(OURS);
        await store.keys.add(aKey('k1'), {});
        await store.inbox.receive(aMessage('1700000000.000100'), {});
        for (const key of ['key/k1', 'message/T1/C1/1700000000.000100'])
          await raw.overwrite(key, change);
        store = await raw.open();
        await store.belongTo(OURS);
        for (const id of ['unknown', 'k1'])
          await assert.rejects(store.keys.get(id), DamagedRecordError);
        assert.deepEqual(await store.inbox.waiting(THREAD), []);
      });
    }
  });
}

describe('records of a known workspace', () => {
  test('are committed as given, plus only the workspace', async (t) => {
    const { path, remove } = await makeTempDir();
    const db = new Database(join(path, 'a.db'));
    t.after(async () => {
      db.close();
      await remove();
    });
    db.exec(RECORDS_SCHEMA);
    const bare = openSqliteRecords({ db, file: 'a.db' }, 0);
    const sent: string[] = [];
    const commits: Commit[] = [];
    const watched: Records = {
      ...bare,
      async get(keys) {
        sent.push(...keys);
        return await bare.get(keys);
      },
      async commit(commit) {
        commits.push(commit);
        return await bare.commit(commit);
      },
    };
    const place = { where: 'The data', setting: 'DATA_DIR' };
    const { belongTo, records } = createOwnedRecords(watched, place);
    await belongTo({ workspace: 'T1' });
    const [put, again] = [0, 1].map((replaces) => {
      const add = [{ partition: 'p', sort: 's' }];
      return { key: 'k/a', replaces, document: '{"n":1}', add } as const;
    });
    const empty = { key: 'k/b', replaces: 0, document: '{}', workspace: 'T2' } as const;
    const [first, second] = [[put, empty], [again]].map((changes, n): Commit => {
      return { id: `${n}`, durable: 'later', records: changes.flatMap((each) => each ?? []) };
    });
    assert.ok(first && second);
    sent.length = 0;
    commits.length = 0;
    for (const commit of [first, second]) await records.commit(commit);
    const document = '{"workspace":"T1","n":1}';
    const theirs = { key: 'k/b', replaces: 0, document: '{"workspace":"T2"}' };
    assert.deepEqual(commits, [
      { ...first, records: [{ ...put, document }, theirs] },
      { ...second, records: [{ ...again, document }] },
    ]);
    assert.deepEqual(sent, []);
    const wrong = { key: 'k/c', replaces: 0, document: '[1]' };
    await assert.rejects(
      records.commit({ id: 'wrong', durable: 'later', records: [wrong] }),
      /k\/c is not a JSON object/,
    );
  });
});
