import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RetentionSettings } from '../../../src/desk/deps.ts';
import type { AuditEntry } from '../../../src/domain/audit/audit.ts';
import type { AuditReport } from '../../../src/domain/audit/audit-check.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { inTurn } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Kept = Omit<RetentionSettings, 'lookBackMs'> & Partial<Pick<RetentionSettings, 'lookBackMs'>>;

/** A desk whose agent makes a call in each thread that begins with “act”, and answers in the others. */
async function keepingDesk(t: TestContext, kind: StoreKind, kept: Kept) {
  const opened = await storeOf(t, kind);
  const tool = createRecordedTool();
  const errors: string[] = [];
  const warnings: string[] = [];
  const desk = await buildDesk(t, {
    gate: askAll({ deadlineMs: 60 * DAY, approvers: ['user:U2'] }),
    tools: [tool.definition],
    keeping: { lookBackMs: () => 0, ...kept },
    log: {
      error: (_fields, message) => errors.push(message),
      warn: (_fields, message) => warnings.push(message),
    },
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  desk.model.script(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'user' && String(last.content).includes('act')
      ? sayCalls([{ name: 'act', args: '{"note":"secret words"}' }])
      : sayText('So be it.');
  });
  let sent = 0;

  let { worker } = desk;
  async function rest(): Promise<void> {
    worker.nudge();
    await worker.idle();
  }

  return {
    desk,
    errors,
    warnings,
    redis: opened.redis,
    async restart(): Promise<void> {
      worker = await desk.restart();
    },
    /** Starts a thread. */
    async write(text: string): Promise<ThreadKey> {
      sent += 1;
      const ts = `1700000${100 + sent}.000100`;
      const place = { team: 'T1', channel: 'C1', ts };
      const thread = threadKey(place);
      const id = `T1/C1/${ts}`;
      const message = { id, thread, author: REQUESTER, ts, text, receivedAt: desk.clock.now() };
      await desk.desk.receive(message);
      await rest();
      return thread;
    },
    /** Runs every task at its due time. */
    async pass(ms: number): Promise<void> {
      const until = desk.clock.now() + ms;
      for (;;) {
        await rest();
        const dueAt = (await desk.store.agenda.nextDueAt()) ?? until;
        if (dueAt > until) break;
        await desk.clock.advance(dueAt - desk.clock.now());
      }
      await desk.clock.advance(until - desk.clock.now());
      await rest();
    },
  };
}

async function entriesOf({ store }: TestDesk): Promise<readonly AuditEntry[]> {
  return await store.audit.read(1, 100_000);
}

const check = (desk: TestDesk): Promise<AuditReport> => desk.store.audit.check();

async function countOf(desk: TestDesk, event: string): Promise<number> {
  return (await entriesOf(desk)).filter((entry) => entry.event === event).length;
}

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`the records on ${kind}`, () => {
    it('are sealed within an hour', async (t) => {
      const { desk, pass, write } = await keepingDesk(t, kind, {});
      for (const text of ['hello', 'hello again']) {
        await write(text);
        const unsealed = await check(desk);
        assert.ok(unsealed.sealedThrough < unsealed.checked);
        await pass(HOUR);
        const { checked, fault, sealedThrough } = await check(desk);
        assert.deepEqual([fault, sealedThrough], [undefined, checked]);
      }
    });

    it('lose entries older than the limit once a day, with a note from which the rest is verified', async (t) => {
      const { desk, pass, restart, write } = await keepingDesk(t, kind, { auditDays: 1 });
      await write('hello');
      const before = await entriesOf(desk);
      await pass(DAY);
      assert.deepEqual((await entriesOf(desk)).slice(0, before.length), before);
      await write('hello later');
      await pass(DAY);
      const { fault, first, removedThrough } = await check(desk);
      assert.equal(fault, undefined);
      assert.ok(first && first.seq > before.length);
      assert.equal(removedThrough, first.seq - 1);
      assert.ok((await entriesOf(desk)).every(({ at }) => at > desk.clock.now() - 2 * DAY));
      const notes = await countOf(desk, 'audit.remove');
      await restart();
      await pass(HOUR);
      assert.equal(await countOf(desk, 'audit.remove'), notes);
      await pass(2 * DAY);
      const later = await check(desk);
      assert.equal(later.fault, undefined);
      assert.ok(later.removedThrough > removedThrough);
    });

    it('keep all entries of a broken audit', async (t) => {
      const { desk, errors, pass, redis, write } = await keepingDesk(t, kind, { auditDays: 1 });
      await write('hello');
      const [, second] = await entriesOf(desk);
      assert.ok(second);
      await forge(desk, redis?.url, second);
      await pass(2 * DAY);
      const { checked, fault } = await check(desk);
      assert.deepEqual([checked, fault?.kind, fault?.seq], [1, 'changed', 2]);
      assert.equal(await countOf(desk, 'audit.remove'), 0);
      assert.match(errors.join(), /audit is broken, so none of it is removed/);
    });

    it('lose the messages of idle threads, and keep open calls', async (t) => {
      const { desk, pass, write } = await keepingDesk(t, kind, { historyDays: 1 });
      const { history, ledger } = desk.store;
      const over = await write('act and be done');
      const [call] = await ledger.ofThread(over);
      assert.ok(call);
      await desk.decide(call, APPROVER);
      assert.equal((await ledger.get(call.id))?.status, 'succeeded');
      const open = await write('act and wait');
      await pass(DAY);
      const young = await write('hello');
      await pass(DAY);
      assert.deepEqual(await ledger.ofThread(over), []);
      assert.deepEqual(await history.newest(over, 9, 0), []);
      assert.equal((await history.newest(young, 9, 0)).length, 1);
      assert.equal((await ledger.ofThread(open))[0]?.status, 'pending');
      const [note, ...others] = (await entriesOf(desk)).filter(
        ({ event }) => event === 'history.remove',
      );
      assert.equal(others.length, 0);
      const facts = note?.detail;
      assert.deepEqual(
        [note?.subject, facts],
        [over, { turns: 1, calls: 1, untouchedSince: call.createdAt }],
      );
      const [waiting] = await ledger.ofThread(open);
      assert.ok(waiting);
      assert.equal((await desk.decide(waiting, APPROVER)).kind, 'decided');
      assert.equal((await ledger.get(waiting.id))?.status, 'succeeded');
      await pass(DAY);
      assert.equal((await history.newest(open, 9, 0)).length, 1);
      assert.equal((await history.newest(young, 9, 0)).length, 0);
      const { fault } = await check(desk);
      assert.equal(fault, undefined);
    });

    it('lose ended external calls when they are old, however busy their channel is', async (t) => {
      const { desk, pass } = await keepingDesk(t, kind, { historyDays: 1 });
      const caller = { key: 'k1', name: 'deploy-bot' };
      const ask = async (channel = 'C1') => {
        const request = { tool: 'act', args: {}, channel, requester: REQUESTER };
        const made = await desk.outside.request(caller, request);
        assert.ok(made.kind === 'made');
        await desk.rest();
        return made.call;
      };
      const [first, second, open] = [await ask(), await ask(), await ask()];
      for (const call of [first, second]) {
        await desk.decide(call, APPROVER, { kind: 'reply', text: 'No.' });
      }
      const over = desk.clock.now();
      await pass(DAY);
      const young = await ask();
      await desk.decide(young, APPROVER, { kind: 'ignore' });
      await pass(DAY);
      const { ledger } = desk.store;
      for (const { id } of [first, second]) {
        assert.equal(await ledger.get(id), undefined);
        assert.equal(await ledger.cardOf(id), undefined);
      }
      assert.equal((await ledger.get(open.id))?.status, 'pending');
      assert.equal((await ledger.get(young.id))?.status, 'ignored');
      const notes = (await entriesOf(desk)).filter(({ event }) => event === 'history.remove');
      assert.deepEqual(
        notes.map(({ detail, subject }) => [subject, detail]),
        [[first.thread, { turns: 0, calls: 2, untouchedSince: over }]],
      );
      assert.equal((await check(desk)).fault, undefined);
    });

    it('keep the calls that a policy total still counts', async (t) => {
      const kept = { historyDays: 1, lookBackMs: () => 2 * DAY };
      const { desk, pass, write } = await keepingDesk(t, kind, kept);
      const thread = await write('hello');
      await pass(2 * DAY);
      assert.equal((await desk.store.history.newest(thread, 9, 0)).length, 1);
      await pass(DAY);
      assert.equal((await desk.store.history.newest(thread, 9, 0)).length, 0);
    });
  });
}

describe('a policy with an unlimited window', () => {
  it('keeps all calls, and the log says why', async (t) => {
    const kept = { historyDays: 1, lookBackMs: () => Number.POSITIVE_INFINITY };
    const { desk, pass, warnings, write } = await keepingDesk(t, 'SQLite', kept);
    const thread = await write('hello');
    await pass(2 * DAY);
    assert.equal((await desk.store.history.newest(thread, 9, 0)).length, 1);
    assert.match(warnings.join(), /HISTORY_DAYS removes nothing, because a policy condition/);
  });
});

/** Changes an entry without the app. */
async function forge(desk: TestDesk, redisUrl: string | undefined, { seq }: AuditEntry) {
  const change = (text: string) => text.replace('T1/', 'T9/').replace('countersign', 'somebody');
  if (redisUrl === undefined) {
    const { db } = desk.store.saver;
    const text = db
      .prepare<[number], string>('SELECT entry FROM audit WHERE seq = ?')
      .pluck()
      .get(seq);
    db.prepare('UPDATE audit SET entry = ? WHERE seq = ?').run(change(text ?? ''), seq);
    return;
  }
  const { createClient } = await import('redis');
  const client = createClient({ socket: { path: redisUrl.slice('unix://'.length) } });
  await client.connect();
  const list = 'desk:{desk}:audit';
  await client.lSet(list, seq - 1, change((await client.lIndex(list, seq - 1)) ?? ''));
  await client.disconnect();
}
