/** Work without a task, on SQLite and on Redis. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { findStalledWork } from '../../../src/desk/worker/find-stalled-work.ts';
import { createQuarantine } from '../../../src/desk/worker/quarantine.ts';
import { createStalledWorkSweep } from '../../../src/desk/worker/stalled-work-sweep.ts';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import { stepFrom } from '../../../src/domain/calls/transitions.ts';
import {
  type AgendaKey,
  advanceTurnKey,
  deliverOutboxKey,
  expireKey,
  renderCardKey,
  runCallKey,
  type ThreadFence,
  threadCommandsKey,
} from '../../../src/domain/ports/agenda.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { openerOf, SILENT } from '../../stores/redis/open-store.ts';
import { openStore as openSqlite } from '../../stores/sqlite/open-store.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { inTurn } from '../../support/sample.ts';
import {
  aMessage,
  aSay,
  claimKey,
  holdThread,
  LEASE_MS,
  storeCall,
} from '../../support/store/contract/contract-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';

const redis = openerOf(startRedis);
before(() => redis.start());
after(() => redis.stop());

interface Opened {
  readonly store: Store;
  readonly clock: ManualClock;
}

const OPEN: readonly (readonly [string, (t: TestContext) => Promise<Opened>])[] = [
  ['SQLite', (t) => openSqlite(t)],
  ['Redis', (t) => redis.openStore(t)],
];

let threads = 0;

/** A thread with a turn in progress, without a task on the agenda. */
async function busyThread({ store, clock }: Opened) {
  threads += 1;
  const ts = `1700000000.${100_000 + threads}`;
  const thread = threadKey({ team: 'T1', channel: 'C1', ts });
  /** Does something as the thread's worker, and leaves no task on the agenda. */
  const held = async <T>(work: (fence: ThreadFence) => Promise<T>): Promise<T> => {
    const lease = await claimKey({ store, clock }, advanceTurnKey(thread));
    const done = await work({ thread, token: lease.fence });
    await store.agenda.finish(lease);
    return done;
  };
  const message = aMessage(ts, { thread });
  await store.inbox.receive(message, {});
  await held((fence) => store.inbox.begin(message.id, {}, fence));
  const add = async (status: CallStatus, patch: Partial<Call> = {}) =>
    await held((fence) =>
      storeCall(store, fence, status, {
        id: `call_${threads}_${status}`,
        thread,
        turn: message.id,
        toolCallId: status,
        requester: REQUESTER,
        ...patch,
      }),
    );
  return { thread, message, held, add };
}

async function found({ store, clock }: Opened): Promise<readonly string[]> {
  const keys: AgendaKey[] = [];
  const fail = (error: unknown) => assert.fail(String(error));
  for await (const wakes of findStalledWork(store, clock, fail)) {
    keys.push(...wakes.map(({ key }) => key));
  }
  return keys.map(({ task, id }) => `${task} ${id}`).sort();
}

const names = (...keys: readonly AgendaKey[]) => keys.map(({ task, id }) => `${task} ${id}`).sort();
const pump = (thread: ThreadKey) => [advanceTurnKey(thread), threadCommandsKey(thread)];

for (const [name, open] of inTurn(OPEN)) {
  describe(`stalled work on ${name}`, () => {
    it('is an approved call without a task, and a running one without a worker', async (t) => {
      const opened = await open(t);
      const approved = await (await busyThread(opened)).add('approved');
      const running = await (await busyThread(opened)).add('running');
      assert.deepEqual(await found(opened), names(runCallKey(approved), runCallKey(running)));
    });

    it('is a pending call that will never expire', async (t) => {
      const opened = await open(t);
      const deadlineAt = opened.clock.now() + 5_000;
      const pending = await (await busyThread(opened)).add('pending');
      const running = await (await busyThread(opened)).add('running');
      const steps = [
        stepFrom(pending, 'vote', 1, { status: 'pending', deadlineAt }),
        stepFrom(running, 'recover', 1, { status: 'unknown', deadlineAt }),
      ];
      await opened.store.ledger.write(pending, steps.slice(0, 1), {});
      await opened.store.ledger.write(running, steps.slice(1), {});
      assert.deepEqual(await found(opened), names(expireKey(pending), expireKey(running)));
    });

    it('is a thread that waits for nothing, with a turn in progress or a queued message', async (t) => {
      const opened = await open(t);
      const idle = await busyThread(opened);
      const ended = await busyThread(opened);
      await ended.add('succeeded');
      const next = await busyThread(opened);
      await next.held((fence) => opened.store.inbox.end(next.message.id, 'turn', {}, fence));
      await opened.store.inbox.receive(aMessage('1700000900.000100', { thread: next.thread }), {});
      const all = [idle, ended, next].flatMap(({ thread }) => pump(thread));
      assert.deepEqual(await found(opened), names(...all));
    });

    it('is an outbox message without a task', async (t) => {
      const opened = await open(t);
      const say = aSay('a');
      await opened.store.outbox.add([say], []);
      assert.deepEqual(await found(opened), names(deliverOutboxKey(say.thread)));
    });

    it('is not what waits for people, is due, is being worked on or is a dead letter', async (t) => {
      const opened = await open(t);
      const { agenda } = opened.store;
      const now = opened.clock.now();
      const waits = await busyThread(opened);
      await waits.add('pending');
      const due = await busyThread(opened);
      const call = await due.add('approved');
      const wakes = [runCallKey(call), advanceTurnKey(due.thread)].map((key) => ({
        key,
        dueAt: now + 9,
      }));
      await agenda.wake(wakes);
      const parked = await busyThread(opened);
      await agenda.moveToDeadLetters(
        await claimKey(opened, advanceTurnKey(parked.thread)),
        now,
        'gave up',
      );
      const worked = await busyThread(opened);
      await holdThread(opened, worked.thread);
      assert.deepEqual(await found(opened), []);
    });

    it('is left alone in a pause, because the end of the pause wakes it', async (t) => {
      const opened = await open(t);
      await (await busyThread(opened)).add('approved');
      await busyThread(opened);
      await opened.store.pause.write({ by: REQUESTER, at: 1 }, {});
      assert.deepEqual(await found(opened), []);
    });

    it('is found in pages, however many calls wait for people', async (t) => {
      const opened = await open(t);
      let reads = 0;
      const { ledger } = opened.store;
      const counting = {
        ...opened.store,
        ledger: {
          ...ledger,
          withStatus: async (...args: Parameters<typeof ledger.withStatus>) => {
            reads += 1;
            const page = await ledger.withStatus(...args);
            assert.ok(page.length <= 100);
            return page;
          },
          ofThread: async () => assert.fail('A thread that waits for people was read.'),
        },
      };
      const { add } = await busyThread(opened);
      for (let n = 0; n < 250; n += 1) {
        await add('pending', { id: `call_many_${n}`, toolCallId: `tc_${n}` });
      }
      assert.deepEqual(await found({ store: counting, clock: opened.clock }), []);
      assert.equal(reads, 3 + 3);
    });

    it('is resumed at the start and later, and cards that were given up are retried', async (t) => {
      const opened = await open(t);
      const { store, clock } = opened;
      const call = await (await busyThread(opened)).add('approved');
      const parked = [renderCardKey(callRef('call_x')), advanceTurnKey('T1/C1/9.9' as ThreadKey)];
      for (const key of parked)
        await store.agenda.moveToDeadLetters(await claimKey(opened, key), 1, 'gave up');
      const errors: unknown[] = [];
      const log = { ...SILENT, error: (fields: object) => void errors.push(fields) };
      const quarantine = createQuarantine({ store, clock, log });
      const sweep = createStalledWorkSweep({ store, clock, log, quarantine });
      sweep.start();
      const isPlanned = async (key: AgendaKey) =>
        (await store.agenda.unscheduled([key])).length === 0;
      await until(() => isPlanned(runCallKey(call)));
      assert.deepEqual(
        (await store.agenda.deadLetters()).map(({ key }) => key.task),
        ['pump'],
      );
      assert.equal(errors.length, 1);
      const claimed = async () => (await claimOne(store.agenda, clock.now(), LEASE_MS))?.key;
      const first = [await claimed(), await claimed()].map((key) => key?.task);
      assert.deepEqual(first.sort(), ['redraw', 'run']);
      const late = await (await busyThread(opened)).add('approved');
      assert.equal(await isPlanned(runCallKey(late)), false);
      await until(async () => {
        await clock.advance(60_000);
        return await isPlanned(runCallKey(late));
      });
      await sweep.stop();
    });
  });
}
