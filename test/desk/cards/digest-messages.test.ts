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

/** A desk to which so many messages have just brought one call each. */
async function flooded(t: TestContext, calls: number, route: Partial<Route> = OPS) {
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

/** A desk of two workers on one Redis, to which many agents have just brought one call each. */
async function stormed(
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
  // A busy machine does not send hundreds at once in the time that an answer may take.
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

/** What people see once: a write that got no answer on a busy machine is done again, and looks for itself first. */
const posted = (desk: TestDesk, what: string) =>
  written(desk, what, 'post').filter(({ lookFirst }) => !lookFirst);
const pings = ({ chat }: TestDesk) => chat.drawings.filter(({ calls }) => calls.length > 0);
const written = ({ chat }: TestDesk, what: string, how?: string) =>
  chat.drawings.filter((each) => each.what === what && (how === undefined || each.how === how));
const newest = ({ chat }: TestDesk) => [...chat.digestMessages.values()].at(-1);

describe('a crowd of cards', () => {
  it(`of ${CROWD} calls has one digest message for two workers, eleven calls for people in all, and every card`, async (t) => {
    const { desk, workers } = await stormed(t, CROWD);
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

  it('is counted down in that one message as people decide, and closed with the last', async (t) => {
    const desk = await flooded(t, 12);
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

  it('is announced in the threads’ own channel too, where others decide', async (t) => {
    const { channel: _none, ...own } = OPS;
    const desk = await flooded(t, 14, own);
    await pass(desk, MINUTE);
    assert.equal(written(desk, 'bulletin', 'post')[0]?.place.channel, 'C1');
    assert.equal(pings(desk).length, 11);
  });

  it('for whoever asked, in their own thread, has neither calls nor a digest message', async (t) => {
    const desk = await flooded(t, 14, REQUESTER_ROUTE);
    await pass(desk, MINUTE);
    assert.equal(pings(desk).length, 0);
    assert.equal(written(desk, 'bulletin').length, 0);
  });

  it('is reminded of by another digest message, not by a word for each call', async (t) => {
    const desk = await flooded(t, 14, { ...OPS, remindAfterMs: 10 * MINUTE });
    await pass(desk, 12 * MINUTE, 10_000);
    const reminders = desk.chat.said.filter(({ id }) => id.startsWith('reminder:'));
    assert.equal(reminders.length, 10);
    assert.equal(written(desk, 'bulletin', 'post').length, 2);
    assert.equal(newest(desk)?.waiting, 14);
  });

  it('whose digest message was deleted has it again, and nobody is called a second time', async (t) => {
    const desk = await flooded(t, 12);
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
