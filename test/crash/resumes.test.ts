/** Fifty concurrent workers on one thread whose batch is partly decided, on both stores. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shortDigest } from '../../src/domain/calls/digest.ts';
import { advanceTurnKey } from '../../src/domain/ports/agenda.ts';
import { messageId } from '../../src/domain/threads/message.ts';
import { placeOf } from '../../src/domain/threads/thread-key.ts';
import { type LabBackend, sqliteBackend, startRedisBackend } from './lab/lab-backend.ts';
import { type LabWorld, openWorld } from './lab/lab-world.ts';
import { THREADS } from './model/side.ts';

const WORKERS = 50;
const BY = { team: 'T1', user: 'U1' };

async function ask(world: LabWorld, text: string): Promise<void> {
  const [thread] = THREADS;
  assert.ok(thread);
  const { root: ts, ...place } = placeOf(thread);
  const id = messageId({ ...place, ts });
  await world.running().desk.receive({ id, thread, author: BY, ts, text, receivedAt: 0 });
  await world.settle();
}

async function readCalls(world: LabWorld) {
  const [thread] = THREADS;
  assert.ok(thread);
  return await world.store().ledger.ofThread(thread);
}

/** Every worker is woken for the thread again and again, while one call after the other is approved. */
async function approveUnderAll(world: LabWorld): Promise<void> {
  const [thread] = THREADS;
  assert.ok(thread);
  for (let each = 1; each < WORKERS; each += 1) await world.startAnother();
  const wake = () => world.store().agenda.wake([{ key: advanceTurnKey(thread), dueAt: 0 }]);
  const [first, second] = await readCalls(world);
  assert.ok(first && second);
  const decide = ({ id: callId, attempt, digest }: typeof first) =>
    world.running().desk.decide({
      callId,
      attempt,
      digest: shortDigest(digest),
      by: BY,
      decision: { kind: 'approve' },
    });
  await Promise.all([...Array.from({ length: WORKERS }, wake), decide(first), world.settle()]);
  await world.settle();
  assert.deepEqual(
    world.tools.effects.map(({ callId }) => callId),
    [first.id],
    'Only the call runs that was approved, and once.',
  );
  assert.equal((await readCalls(world))[1]?.status, 'pending');
  await Promise.all([...Array.from({ length: WORKERS }, wake), decide(second), world.settle()]);
  await world.settle();
  assert.equal(world.tools.effects.length, 2);
  assert.equal(new Set(world.tools.effects.map(({ callId }) => callId)).size, 2);
  assert.equal(world.slack.said.filter(({ kind }) => kind === 'answer').length, 1);
}

describe(`${WORKERS} workers on one thread`, () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>>;
  before(async () => {
    redis = await startRedisBackend();
  });
  after(() => redis.stop());

  const backends: readonly (readonly [string, () => LabBackend])[] = [
    ['SQLite', () => sqliteBackend],
    ['Redis', () => redis.backend],
  ];
  for (const [name, backend] of backends) {
    it(`run each call once, and only what was approved, on ${name}`, async () => {
      const world = await openWorld(backend());
      try {
        await ask(world, 'two');
        await approveUnderAll(world);
      } finally {
        await world.close();
      }
    });
  }
});
