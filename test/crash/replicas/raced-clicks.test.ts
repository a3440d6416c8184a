/**
 * Every click on every replica at once. `CARDS` sets the number of cards; the full test run uses
 * 1,000.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand, DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { type Gate, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { outcomeSentence } from '../../../src/slack/text/outcome-sentences.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import {
  APPROVER,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import { createRecordedTool, type RecordedTool } from '../../support/builders/recorded-tool.ts';
import { createReplica, type Replica, threadOf } from '../../support/desk/replica.ts';
import {
  createMockModel,
  type MockModel,
  sayCalls,
  sayText,
} from '../../support/servers/mock-model.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';

const CARDS = Number(process.env.CARDS ?? 44);
const WAVE = 50;
/** How many cards a message of the agent has; ignoring one withdraws the others of its message. */
const BATCHES = { act: 5, pay: 5, drop: 1 } as const;
const TOOLS = ['act', 'pay', 'drop'] as const;
const silent = () => {};
const LOG = { debug: silent, info: silent, warn: silent, error: silent };
const GATE: Gate = ({ tool }) => ({
  kind: 'ask',
  route: tool === 'pay' ? TWO_APPROVERS : REQUESTER_ROUTE,
});

let server: RedisServer;
let model: MockModel;

before(async () => {
  server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'everysec']);
  model = await createMockModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return sayText('Done.');
    const [name = '', size] = String(last?.content).split(' ');
    const notes = Array.from({ length: Number(size) }, (_, n) => JSON.stringify({ note: `${n}` }));
    return sayCalls(notes.map((args) => ({ name, args })));
  });
});
after(async () => {
  await model.stop();
  await server.stop();
});

interface Click {
  readonly by: Person;
  readonly decision: DecisionCommand['decision'];
}

const approve = (by: Person): Click => ({ by, decision: { kind: 'approve' } });
const ignore = (by: Person): Click => ({ by, decision: { kind: 'ignore' } });

for (const count of [2, 4]) {
  test(`${count} replicas: each of ${CARDS} cards gets one decision, the losers learn who decided, and no tool runs twice`, async (t) => {
    const tools = TOOLS.map((name) => createRecordedTool({ name }));
    const replicas = await startReplicas(count, tools);
    t.after(() => Promise.all(replicas.map((replica) => replica.stop())));
    await askForCards(replicas);
    const [first] = replicas;
    assert.ok(first);
    const { ledger } = first.store;
    await until(async () => (await ledger.count()).pending === CARDS, 20);
    const calls = await ledger.withStatus('pending');

    // A limited number at once; more people would only be told to press again.
    const times: number[] = [];
    for (let at = 0; at < calls.length; at += WAVE) {
      const wave = calls.slice(at, at + WAVE).map((call) => race(replicas, call));
      times.push(...(await Promise.all(wave)));
    }
    const slowest = Math.max(...times);
    t.diagnostic(`the slowest of ${calls.length * count} clicks took ${Math.round(slowest)} ms`);

    await until(async () => (await first.store.inbox.threadsWithMessages()).length === 0, 20);
    for (const { id } of calls) {
      const call = await ledger.get(id);
      assert.ok(call);
      const runs = tools.flatMap((tool) => tool.runs).filter(({ key }) => key.startsWith(id));
      assert.equal(runs.length, call.verdict?.kind === 'approve' ? 1 : 0, call.status);
      assert.equal(call.status, call.verdict?.kind === 'approve' ? 'succeeded' : 'ignored');
    }
    assert.deepEqual(model.refusals, []);
  });
}

/** Makes the agent request all cards, in turns on all replicas. */
async function askForCards(replicas: readonly Replica[]): Promise<void> {
  const asked: Promise<void>[] = [];
  for (let left = CARDS; left > 0; ) {
    const n = asked.length;
    const tool = pick(TOOLS, n);
    const size = Math.min(left, BATCHES[tool]);
    asked.push(pick(replicas, n).ask(threadOf(n), `${tool} ${size}`));
    left -= size;
    if (asked.length % WAVE === 0) await Promise.all(asked);
  }
  await Promise.all(asked);
}

async function startReplicas(
  count: number,
  tools: readonly RecordedTool[],
): Promise<readonly Replica[]> {
  const replicas = await Promise.all(
    Array.from({ length: count }, () =>
      createReplica({
        openStore: (onWake) =>
          createRedisStore({
            url: server.url,
            prefix: `r${count}`,
            clock: createSystemClock(),
            log: LOG,
            onWake,
          }),
        modelUrl: model.url,
        tools: tools.map(({ definition }) => definition),
        gate: GATE,
      }),
    ),
  );
  for (const replica of replicas) replica.worker.start();
  return replicas;
}

/** Clicks on all replicas at once; resolves with the longest response time, in milliseconds. */
async function race(replicas: readonly Replica[], call: Call): Promise<number> {
  const clicks = replicas.flatMap((replica, n) =>
    clicksOn(call, n).map((click) => ({ replica, click })),
  );
  const bound = { callId: call.id, attempt: call.attempt, digest: shortDigest(call.digest) };
  let slowest = 0;
  const outcomes = await Promise.all(
    clicks.map(async ({ replica, click }) => {
      const startedAt = performance.now();
      const outcome = await replica.desk.decide({ ...bound, ...click });
      slowest = Math.max(slowest, performance.now() - startedAt);
      return outcome;
    }),
  );
  assertOneVerdict(call, outcomes);
  return slowest;
}

/** The clicks on the n-th replica: everybody approves, the requester also ignores, or two approvers approve. */
function clicksOn({ tool }: Call, n: number): readonly Click[] {
  if (tool === 'act') return [approve(REQUESTER)];
  if (tool === 'drop') return [n % 2 === 0 ? approve(REQUESTER) : ignore(REQUESTER)];
  return n % 2 === 0
    ? [approve(APPROVER), approve(SECOND_APPROVER)]
    : [approve(SECOND_APPROVER), approve(APPROVER)];
}

function assertOneVerdict({ tool }: Call, outcomes: readonly DecisionOutcome[]): void {
  const decided = outcomes.filter(({ kind }) => kind === 'decided');
  assert.equal(decided.length, 1);
  const recorded = outcomes.filter(({ kind }) => kind === 'recorded');
  assert.equal(recorded.length, tool === 'pay' ? 1 : 0);
  const winner = decided[0]?.kind === 'decided' ? decided[0].call.verdict : undefined;
  assert.ok(winner);
  for (const outcome of outcomes) {
    if (outcome.kind === 'already-voted') continue;
    if (outcome.kind === 'decided' || outcome.kind === 'recorded') continue;
    assert.equal(outcome.kind, 'already-decided');
    if (outcome.kind === 'already-decided') assert.deepEqual(outcome.call.verdict, winner);
    assert.match(outcomeSentence(outcome), new RegExp(`Nothing changed: .*<@${winner.by.user}>`));
  }
}

function pick<T>(items: readonly T[], n: number): T {
  const item = items[n % items.length];
  if (!item) throw new Error('There is nothing to pick.');
  return item;
}
