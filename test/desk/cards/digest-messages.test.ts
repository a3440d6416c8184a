import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { callEffectsOf } from '../../../src/desk/calls/call-effects.ts';
import type { Worker } from '../../../src/desk/desk.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { type Agenda, advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { Ledger } from '../../../src/domain/ports/store.ts';
import { ruleGateAnswer } from '../../../src/domain/rules/execution-rules.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { APPROVER, aCall, THREAD } from '../../support/builders/a-call.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { toToolbox } from '../../support/builders/to-toolbox.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { isWhole } from '../../support/sample.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { TEST_SEAL } from '../../support/test-secret-mark.ts';

const MINUTE = 60_000;
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };
const OPS: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops',
  channel: 'C9',
  approvers: ['user:U2'],
  selfApproval: false,
};

/** A desk with one new call from each of so many messages. */
async function deskWithCalls(t: TestContext, calls: number, route: Partial<Route> = OPS) {
  const tool = createRecordedTool();
  const { path: dataDir, remove } = await makeTempDir();
  const { schemaHash = '' } = toToolbox([tool.definition], []).get('act') ?? {};
  const desk = await buildDesk(t, {
    gate: askAll(route),
    tools: [tool.definition],
    stalled: true,
    async openStore({ clock, ...told }) {
      const store = createSqliteStore({ dataDir, clock, ...told });
      const made = { route: { ...REQUESTER_ROUTE, ...route }, schemaHash };
      await storm(withSealedCalls(store.ledger, TEST_SEAL), store.agenda, calls, clock.now(), made);
      return store;
    },
  });
  t.after(remove);
  desk.takeOver();
  await desk.rest();
  return desk;
}

/** Two workers on one Redis, with one new call from each of many agents. */
async function deskWithTwoWorkers(
  t: TestContext,
  calls: number,
): Promise<{ readonly desk: TestDesk; readonly workers: readonly Worker[] }> {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const tool = createRecordedTool();
  const desk = await buildDesk(t, {
    gate: askAll(OPS),
    tools: [tool.definition],
    stalled: true,
    async openStore({ clock, onWake }) {
      const store = await createRedisStore({ url: redis.url, prefix: 'storm', clock, log, onWake });
      await storm(withSealedCalls(store.ledger, TEST_SEAL), store.agenda, calls, clock.now());
      return store;
    },
  });
  return { desk, workers: [desk.worker, desk.takeOver()] };
}

async function storm(
  ledger: Ledger,
  agenda: Agenda,
  calls: number,
  now: number,
  { route = OPS, schemaHash = '' } = {},
): Promise<void> {
  const key = advanceTurnKey(THREAD);
  await agenda.wake([{ key, dueAt: now }]);
  const lease = await claimOne(agenda, now, 1_000);
  assert.ok(lease);
  const fence = { thread: THREAD, token: lease.fence };
  const { route: _none, deadlineAt: _never, ...rest } = aCall({ tool: 'act', createdAt: now });
  const propose = async (n: number): Promise<void> => {
    const id = `call_${String(n).padStart(22, '0')}`;
    const args = `{"note":"${n}"}`;
    const made = { id, toolCallId: id, args, proposedArgs: args, schemaHash };
    const call: Call = { ...rest, ...made, status: 'proposed', revision: 1 };
    const proposed = await ledger.propose({ ...call, digest: callDigestOf(call) }, {}, fence);
    const step = ruleGateAnswer(proposed, { kind: 'ask', route }, now);
    await ledger.write(proposed, [step], callEffectsOf(proposed, [step], undefined));
  };
  const all = Array.from({ length: calls }, (_, n) => n);
  // A busy machine cannot send hundreds at once within the timeout of a request.
  for (let at = 0; at < calls; at += 20) await Promise.all(all.slice(at, at + 20).map(propose));
  await agenda.finish(lease);
}

async function pass(desk: TestDesk, ms: number, stepMs = 2_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await desk.clock.advance(stepMs);
    await desk.rest();
  }
}

/** How many calls two workers share. */
const CROWD = isWhole ? 500 : 100;

/** What people see: a post that timed out on a busy machine is repeated, after a lookup of the first one. */
const posted = (desk: TestDesk, what: string) =>
  written(desk, what, 'post').filter(({ lookFirst }) => !lookFirst);
const pings = ({ chat }: TestDesk) => chat.drawings.filter(({ calls }) => calls.length > 0);
const written = ({ chat }: TestDesk, what: string, how?: string) =>
  chat.drawings.filter((each) => each.what === what && (how === undefined || each.how === how));
const newest = ({ chat }: TestDesk) => [...chat.digestMessages.values()].at(-1);

describe('a burst of cards', () => {
  it(`of ${CROWD} calls gets one digest message from two workers, eleven mentions in all, and every card`, async (t) => {
    const { desk, workers } = await deskWithTwoWorkers(t, CROWD);
    for (let second = 0; second < 1.2 * CROWD; second += 1) {
      await desk.clock.advance(1_000);
      for (const worker of workers) {
        worker.nudge();
        await worker.idle();
      }
    }
    assert.equal(posted(desk, 'card').length, CROWD);
    assert.equal(posted(desk, 'stub').length, CROWD);
    assert.equal(posted(desk, 'bulletin').length, 1);
    assert.equal(pings(desk).filter(({ lookFirst }) => !lookFirst).length, 11);
    const { total, waiting } = newest(desk) ?? {};
    assert.deepEqual([total, waiting], [CROWD, CROWD]);
  });

  it('is counted down in the digest message as people decide, and closed with the last decision', async (t) => {
    const desk = await deskWithCalls(t, 12);
    await pass(desk, MINUTE);
    const calls = await desk.calls();
    assert.equal(newest(desk)?.waiting, 12);
    for (const call of calls.slice(0, 5)) await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    assert.equal(newest(desk)?.waiting, 7);
    for (const call of calls.slice(5)) await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    const { id = '', waiting } = newest(desk) ?? {};
    assert.equal(waiting, 0);
    assert.equal(written(desk, 'bulletin', 'post').length, 1);
    assert.equal(await desk.store.digestMessages.read(id), undefined);
    assert.equal(pings(desk).length, 11);
  });

  it('is announced in the channel of the threads if other people decide there', async (t) => {
    const { channel: _none, ...own } = OPS;
    const desk = await deskWithCalls(t, 14, own);
    await pass(desk, MINUTE);
    assert.equal(written(desk, 'bulletin', 'post')[0]?.place.channel, 'C1');
    assert.equal(pings(desk).length, 11);
  });

  it('gets no mentions and no digest message if each requester decides in their own thread', async (t) => {
    const desk = await deskWithCalls(t, 14, REQUESTER_ROUTE);
    await pass(desk, MINUTE);
    assert.equal(pings(desk).length, 0);
    assert.equal(written(desk, 'bulletin').length, 0);
  });

  it('is reminded of by another digest message, not by one message per call', async (t) => {
    const desk = await deskWithCalls(t, 14, { ...OPS, remindAfterMs: 10 * MINUTE });
    await pass(desk, 12 * MINUTE, 10_000);
    const reminders = desk.chat.said.filter(({ id }) => id.startsWith('reminder:'));
    assert.equal(reminders.length, 10);
    assert.equal(written(desk, 'bulletin', 'post').length, 2);
    assert.equal(newest(desk)?.waiting, 14);
  });

  it('gets its deleted digest message again, and nobody is mentioned twice', async (t) => {
    const desk = await deskWithCalls(t, 12);
    await pass(desk, MINUTE);
    desk.chat.loseNext('bulletin', new ChatError('gone', 'It was deleted.'));
    const [call] = await desk.calls();
    assert.ok(call);
    await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    assert.equal(written(desk, 'bulletin', 'post').length, 2);
    assert.equal(pings(desk).length, 11);
  });
});
