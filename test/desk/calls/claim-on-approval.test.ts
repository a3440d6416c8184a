/** A click that approves a call and claims it, in one commit. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it, type TestContext } from 'node:test';
import { NO_ADMIN_ROUTES } from '../../../src/domain/policy/admin-routes.ts';
import { type GateAnswer, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { runCallKey } from '../../../src/domain/ports/agenda.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { onlyCall } from '../support/recorded-desk.ts';

const ASK: GateAnswer = { kind: 'ask', route: REQUESTER_ROUTE };

/** A desk with one pending call; its gate refuses once a route is set. `atClaim` runs after the claim asked it. */
async function open(t: TestContext, atClaim: (store: Store) => Promise<unknown>) {
  const asked: string[] = [];
  const tool = createRecordedTool();
  const directory = createTestDirectory();
  const ask = directory.profileOf;
  const desk = await buildDesk(t, {
    tools: [tool.definition],
    directory,
    gateOf:
      ({ store }) =>
      async ({ args }) => {
        asked.push(JSON.stringify(args));
        const { revision } = await store.routes.read();
        return revision === 0 ? ASK : { kind: 'refuse', reason: 'Not any more.' };
      },
  });
  // As another process would: these reads do not belong to the claim.
  const elsewhere = AsyncLocalStorage.snapshot();
  // Only the claim looks up the approvers with retries.
  directory.profileOf = async (person, asking) => {
    if (asking?.mayWaitForLimit) await elsewhere(() => atClaim(desk.store));
    return await ask(person, asking);
  };
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
  );
  await desk.send('act');
  return { desk, directory, tool, asked: () => asked.splice(0) };
}

describe('a click that approves and claims', () => {
  it('asks the gate once for both', async (t) => {
    const { asked, desk, tool } = await open(t, async () => {});
    asked();
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.deepEqual(asked(), ['{"note":"a"}']);
    assert.equal(tool.runs.length, 1);
    assert.equal((await onlyCall(desk)).status, 'succeeded');
  });

  it('asks the gate once for edited arguments too', async (t) => {
    const { asked, desk, tool } = await open(t, async () => {});
    asked();
    await desk.decide(await onlyCall(desk), REQUESTER, { kind: 'edit', args: { note: 'b' } });
    assert.deepEqual(asked(), ['{"note":"b"}']);
    assert.equal(tool.runs.length, 1);
  });

  it('writes nothing if what the gate read has changed meanwhile', async (t) => {
    const { desk, tool } = await open(t, (store) =>
      store.routes.write({ ...NO_ADMIN_ROUTES, revision: 1 }, {}),
    );
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'refused');
    assert.deepEqual(tool.runs, []);
  });
});

/** Fails every read of a single call until `mend` is called. */
function failReads({ ledger }: Store): { mend(): void } {
  const { get } = ledger;
  Object.assign(ledger, {
    get: async () => {
      throw new Error('The store cannot be read.');
    },
  });
  return { mend: () => Object.assign(ledger, { get }) };
}

describe('a call that was claimed with its approval, if the read before its tool fails', () => {
  const RETRIED_MS = 5_000;

  async function approveAndFail(t: TestContext) {
    let reads: ReturnType<typeof failReads> | undefined;
    const { desk, directory, tool } = await open(t, async (store) => {
      reads ??= failReads(store);
    });
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'running');
    assert.equal(tool.runs.length, 0);
    reads?.mend();
    const retry = async () => {
      await desk.clock.advance(RETRIED_MS);
      await desk.rest();
    };
    return { desk, directory, tool, retry };
  }

  it('runs once at the next try', async (t) => {
    const { desk, retry, tool } = await approveAndFail(t);
    await retry();
    await retry();
    assert.equal(tool.runs.length, 1);
    assert.equal((await onlyCall(desk)).status, 'succeeded');
  });

  it('does not run if the policy refuses it meanwhile, and says so', async (t) => {
    const { desk, retry, tool } = await approveAndFail(t);
    await desk.store.routes.write({ ...NO_ADMIN_ROUTES, revision: 1 }, {});
    await retry();
    assert.deepEqual(tool.runs, []);
    const { outcome, status } = await onlyCall(desk);
    assert.equal(status, 'failed');
    assert.deepEqual(outcome, { kind: 'error', text: 'Not run: Not any more.' });
  });

  it('does not run if its approver has left meanwhile, and says so', async (t) => {
    const { desk, directory, retry, tool } = await approveAndFail(t);
    directory.profileOf = async () => ({ standing: 'gone', isAdmin: false });
    await retry();
    assert.deepEqual(tool.runs, []);
    const { outcome } = await onlyCall(desk);
    const text = 'Not run: too few of those who approved it may still approve it.';
    assert.deepEqual(outcome, { kind: 'error', text });
  });

  it('waits for the end of a pause', async (t) => {
    const { desk, retry, tool } = await approveAndFail(t);
    await desk.store.pause.write({ by: REQUESTER, at: desk.clock.now() }, {});
    await retry();
    assert.deepEqual(tool.runs, []);
    assert.equal((await onlyCall(desk)).status, 'running');
    await desk.store.pause.write(undefined, {});
    await desk.store.agenda.wake([
      { key: runCallKey(await onlyCall(desk)), dueAt: desk.clock.now() },
    ]);
    await retry();
    assert.equal(tool.runs.length, 1);
  });
});
