/** The cost of a thread with hundreds of turns: the same as of a short one in requests, reads and storage. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { estimateTokens } from '../../../src/agent/turn/estimate-tokens.ts';
import { advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { type MockRequest, sayCalls, sayText } from '../../support/servers/mock-model.ts';

/** Real turns at the start and at the end; the ones between are stored as the desk stores them. */
const REAL = 20;
const TURNS = 300;
const CONTEXT_TOKENS = 4_000;
const PROSE = 'Words that fill the window sooner than the patience of a test. '.repeat(10);

interface Cost {
  /** The largest request of the turn. */
  readonly tokens: number;
  /** Calls of the store. */
  readonly calls: number;
  readonly bytes: number;
}

/** Counts every later call to the ports of the store and to its saver. */
function countStoreCalls(desk: TestDesk): () => number {
  let count = 0;
  const { ledger, inbox, history, outbox, agenda, audit, pause, saver } = desk.store;
  for (const port of [ledger, inbox, history, outbox, agenda, audit, pause, saver]) {
    const methods = port as unknown as Record<string, unknown>;
    for (const name of ['getTuple', 'put', 'putWrites', 'forget', ...Object.keys(methods)]) {
      const method = methods[name];
      if (typeof method !== 'function') continue;
      methods[name] = (...args: readonly unknown[]) => {
        count += 1;
        return method.apply(port, args);
      };
    }
  }
  return () => count;
}

/** Settles turns as the desk would: like the newest one, with new ids. */
async function settleTurns({ store, clock }: TestDesk, count: number): Promise<void> {
  const [like] = await store.history.newest(THREAD, 1, 0);
  assert(like);
  const dueAt = clock.now() + 1_000;
  await store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt }]);
  const lease = await claimOne(store.agenda, dueAt, 60_000);
  assert(lease);
  const fence = { thread: THREAD, token: lease.fence };
  for (let turn = 0; turn < count; turn += 1) {
    await store.history.append(THREAD, { ...like, id: `${like.id}-${turn}` }, {}, fence);
  }
  await store.agenda.finish(lease);
}

function tokensOf({ messages, tools }: MockRequest): number {
  const texts = messages.map(({ content, tool_calls: calls = [] }) =>
    [content, ...calls.map((call) => call.function.name + call.function.arguments)].join(''),
  );
  return estimateTokens([...texts, JSON.stringify(tools)].join(''));
}

test('the 300th turn of a thread requests, reads and stores as much as the 10th', async (t) => {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, {
    gate: () => ({ kind: 'run' }),
    tools: [tool.definition],
    contextTokens: CONTEXT_TOKENS,
  });
  desk.model.script((request) =>
    request.messages.at(-1)?.role === 'tool'
      ? sayText(PROSE)
      : sayCalls([{ id: 'same', name: 'act', args: JSON.stringify({ note: PROSE }) }]),
  );
  const counted = countStoreCalls(desk);
  const db = new Database(join(desk.dataDir, 'countersign.db'), { readonly: true });
  t.after(() => db.close());
  const size = db.prepare<[], { bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  );

  const costs = new Map<number, Cost>();
  async function takeTurns(first: number, last: number): Promise<void> {
    for (let turn = first; turn <= last; turn += 1) {
      const asked = desk.model.requests.length;
      const before = counted();
      await desk.send(`Turn ${String(turn).padStart(3, '0')}: ${PROSE}`);
      costs.set(turn, {
        tokens: Math.max(...desk.model.requests.slice(asked).map(tokensOf)),
        calls: counted() - before,
        bytes: size.get()?.bytes ?? 0,
      });
    }
  }
  await takeTurns(1, REAL);
  await settleTurns(desk, TURNS - 2 * REAL);
  await takeTurns(TURNS - REAL + 1, TURNS);
  const at = (turn: number): Cost => costs.get(turn) ?? assert.fail(`no turn ${turn}`);
  assert.deepEqual(desk.model.refusals, []);
  assert.equal(desk.chat.said.length, 2 * REAL);
  assert.equal(tool.runs.length, 2 * REAL);

  for (const { tokens } of costs.values()) assert.ok(tokens <= CONTEXT_TOKENS, `${tokens} tokens`);
  assert.ok(at(10).tokens > CONTEXT_TOKENS / 2, 'the window is full at turn 10');
  assert.ok(Math.abs(at(300).tokens - at(10).tokens) < at(10).tokens * 0.05);
  const [system, first] = desk.model.requests.at(-1)?.messages ?? [];
  assert.match(String(system?.content), /Older messages of this thread are left out/);
  assert.equal(first?.role, 'user');

  assert.equal(at(300).calls, at(10).calls);
  const early = at(REAL).bytes - at(1).bytes;
  const late = at(TURNS).bytes - at(TURNS - REAL + 1).bytes;
  assert.ok(Math.abs(late - early) < early * 0.25, `${early} bytes, then ${late}`);
});
