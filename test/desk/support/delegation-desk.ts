/** A desk whose agent has helpers, and the calls of all of their threads. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { type GateFacts, REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Helper } from '../../../src/domain/tools/helper.ts';
import { createRecordedTool, type RecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { type MockAnswer, type MockCall, sayCalls } from '../../support/servers/mock-model.ts';

/** `scout` can only act; `worker` has all tools and may use helpers. */
const HELPERS: readonly Helper[] = [
  { name: 'scout', description: 'Scouts.', prompt: 'You scout.', tools: ['act'] },
  { name: 'worker', description: 'Works.', prompt: 'You work.', tools: 'all' },
];

export interface DelegationDesk {
  readonly desk: TestDesk;
  readonly tool: RecordedTool;
  /** Every call, the thread's own first, then those of its helpers in the order of their calls. */
  all(): Promise<readonly Call[]>;
  /** The call of `act` with this note. */
  act(note: string): Promise<Call>;
  /** Status and outcome of every call, by its note or by the helper that it starts. */
  statuses(): Promise<Readonly<Record<string, Call['status']>>>;
}

/** Builds the desk; starting a helper needs no approval, everything else asks on this route. */
export async function buildDelegationDesk(
  t: TestContext,
  options: {
    readonly route?: (facts: GateFacts) => Partial<Route>;
    readonly stalled?: boolean;
    readonly idempotent?: boolean;
  } = {},
): Promise<DelegationDesk> {
  const tool = createRecordedTool({ idempotent: options.idempotent ?? false });
  const desk = await buildDesk(t, {
    tools: [tool.definition],
    helpers: HELPERS,
    ...(options.stalled && { stalled: true }),
    gate: (facts) =>
      facts.tool === 'task'
        ? { kind: 'run' }
        : { kind: 'ask', route: { ...REQUESTER_ROUTE, ...options.route?.(facts) } },
  });

  async function withHelpers(calls: readonly Call[]): Promise<readonly Call[]> {
    const below = await Promise.all(
      calls.map(async ({ thread, id }) =>
        withHelpers(await desk.store.ledger.ofThread(childThreadKey(thread, id))),
      ),
    );
    return [...calls, ...below.flat()];
  }

  const all = async () => withHelpers(await desk.calls());

  return {
    desk,
    tool,
    all,
    async act(note) {
      const found = (await all()).find((call) => call.args === JSON.stringify({ note }));
      assert.ok(found, `No call with ${note}.`);
      return found;
    },
    async statuses() {
      const calls = await all();
      return Object.fromEntries(
        calls.map(({ args, status }) => {
          const { note, prompt } = JSON.parse(args);
          return [note ?? prompt, status];
        }),
      );
    },
  };
}

/** A call that gives this task to a helper. */
export function task(agent: string, prompt: string): MockCall {
  return { name: 'task', args: JSON.stringify({ agent, prompt }) };
}

/** A model message with one `act` call for each of these notes. */
export function sayActs(...notes: readonly string[]): MockAnswer {
  return sayCalls(notes.map((note) => ({ name: 'act', args: JSON.stringify({ note }) })));
}
