/** Calls of programs: people decide them; the program takes each once and reports its result, or abandons it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ExternalRequest } from '../../../src/desk/external/external-request.ts';
import { callTitle } from '../../../src/domain/cards/call-name.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll, buildDesk, REPORT_MS, type TestDesk } from '../../support/desk/build-desk.ts';

const CALLER = { key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
const ASKED: ExternalRequest = {
  tool: 'drop_table',
  args: { table: 'users' },
  channel: 'C1',
  requester: REQUESTER,
};

async function build(t: TestContext, gate = askAll()): Promise<TestDesk> {
  return await buildDesk(t, { tools: [], gate });
}

async function ask(desk: TestDesk, more: Partial<ExternalRequest> = {}) {
  const made = await desk.outside.request(CALLER, { ...ASKED, ...more });
  if (!('call' in made)) throw new Error(JSON.stringify(made));
  await desk.rest();
  return made;
}

async function statusOf({ store }: TestDesk, id: string) {
  return (await store.ledger.get(id))?.status;
}

describe('an external call', () => {
  it('has our summary if it comes from a coding agent, also after an edit', async (t) => {
    const desk = await build(t);
    const summary = 'Lists the files.';
    const { call } = await ask(desk, { tool: 'Bash', args: { command: 'rm -rf x' }, summary });
    assert.deepEqual([call.summary, call.preview], ['Run: rm -rf x', '$ rm -rf x']);
    assert.equal(call.outside?.summary, summary);
    assert.equal(callTitle(call), 'deploy-bot · Run: rm -rf x');
    await desk.decide(call, REQUESTER, { kind: 'edit', args: { command: 'ls' } });
    const edited = await desk.store.ledger.get(call.id);
    assert.deepEqual([edited?.summary, edited?.preview], ['Run: ls', '$ ls']);
    assert.equal((await desk.outside.take(call.id, CALLER, edited?.digest ?? '')).kind, 'taken');
    const strange = await ask(desk, { tool: 'Bash', args: { command: 'ls', sudo: true }, summary });
    assert.deepEqual([strange.call.summary, strange.call.preview], [undefined, undefined]);
    assert.equal(callTitle(strange.call), 'deploy-bot: Bash');
  });

  it('is decided by people, taken once with the digest that they saw, and reported', async (t) => {
    const desk = await build(t);
    const { call } = await ask(desk);
    assert.equal(call.status, 'pending');
    assert.equal((await desk.outside.take(call.id, CALLER, call.digest)).kind, 'not-approved');
    await desk.decide(call, REQUESTER);
    assert.equal(await statusOf(desk, call.id), 'approved');
    assert.equal((await desk.outside.take(call.id, CALLER, 'f'.repeat(64))).kind, 'other-digest');
    const both = await Promise.all([
      desk.outside.take(call.id, CALLER, call.digest),
      desk.outside.take(call.id, CALLER, call.digest),
    ]);
    assert.deepEqual(both.map(({ kind }) => kind).sort(), ['not-approved', 'taken']);
    const told = await desk.outside.report(call.id, CALLER, { kind: 'result', text: 'Dropped.' });
    assert.equal(told.kind, 'ended');
    const stored = await desk.store.ledger.get(call.id);
    assert.equal(stored?.status, 'succeeded');
    assert.equal(stored?.delivered, true);
  });

  it('is not visible to another key', async (t) => {
    const desk = await build(t);
    const { call } = await ask(desk);
    const other = { key: 'k2' };
    assert.equal(await desk.outside.find(call.id, other), undefined);
    for (const answer of [
      await desk.outside.take(call.id, other, call.digest),
      await desk.outside.cancel(call.id, other),
      await desk.outside.report(call.id, other, { kind: 'result', text: '' }),
    ]) {
      assert.deepEqual(answer, { kind: 'not-found' });
    }
    assert.equal(await statusOf(desk, call.id), 'pending');
  });

  it('is the same call for the same idempotency key, and another request with that key is refused', async (t) => {
    const desk = await build(t);
    const first = await ask(desk, { idempotencyKey: 'once' });
    const again = await ask(desk, { idempotencyKey: 'once' });
    assert.deepEqual([first.kind, again.kind], ['made', 'known']);
    assert.equal(again.call.id, first.call.id);
    for (const other of [{ args: { table: 'orders' } }, { channel: 'C2' }]) {
      assert.equal((await ask(desk, { ...other, idempotencyKey: 'once' })).kind, 'conflict');
    }
    assert.equal((await desk.store.ledger.withStatus('pending')).length, 1);
  });

  it('expires if it is never taken, and is unknown if its result is never reported', async (t) => {
    const desk = await build(t);
    const [left, taken] = [await ask(desk), await ask(desk)];
    for (const { call } of [left, taken]) await desk.decide(call, REQUESTER);
    await desk.outside.take(taken.call.id, CALLER, taken.call.digest);
    await desk.clock.advance(REPORT_MS);
    await desk.rest();
    assert.equal(await statusOf(desk, taken.call.id), 'unknown');
    await desk.clock.advance(86_400_000);
    await desk.rest();
    assert.equal(await statusOf(desk, left.call.id), 'expired');
  });

  it('succeeds when it is taken if its program reports no result', async (t) => {
    const desk = await build(t);
    const { call } = await ask(desk, { isSilent: true });
    await desk.decide(call, REQUESTER);
    const taken = await desk.outside.take(call.id, CALLER, call.digest);
    assert.equal(taken.kind, 'taken');
    assert.equal(await statusOf(desk, call.id), 'succeeded');
  });

  it('can be cancelled until it is taken', async (t) => {
    const desk = await build(t);
    const { call } = await ask(desk);
    assert.equal((await desk.outside.cancel(call.id, CALLER)).kind, 'ended');
    assert.equal(await statusOf(desk, call.id), 'withdrawn');
    assert.equal((await desk.outside.cancel(call.id, CALLER)).kind, 'too-late');
  });

  it('notifies a waiting request of each change at once', async (t) => {
    const desk = await build(t);
    const { call } = await ask(desk);
    const never = new AbortController();
    const waits = [1, 2, 3].map(() => desk.outside.changed(call.id, call.revision, never.signal));
    await desk.decide(call, REQUESTER);
    for (const seen of await Promise.all(waits)) assert.equal(seen?.status, 'approved');
    const aborted = new AbortController();
    const revision = (await desk.store.ledger.get(call.id))?.revision ?? 0;
    const waiting = desk.outside.changed(call.id, revision, aborted.signal);
    aborted.abort();
    assert.equal(await waiting, undefined);
  });

  it('counts its key’s owner as the requester, whoever it names', async (t) => {
    const route = { approvers: ['user:U9' as const, 'requester' as const], selfApproval: false };
    const desk = await build(t, askAll(route));
    const owner = { team: REQUESTER.team, user: 'U9' };
    const made = await desk.outside.request({ ...CALLER, owner }, ASKED);
    assert.equal(made.kind, 'made');
    if (made.kind !== 'made') return;
    await desk.rest();
    assert.equal((await desk.decide(made.call, owner)).kind, 'not-allowed');
    assert.equal(await statusOf(desk, made.call.id), 'pending');
  });

  it('needs approval even if its tool has the name of one that runs without asking', async (t) => {
    const { defaultGate } = await import('../../../src/domain/policy/route.ts');
    const desk = await build(t, defaultGate);
    assert.equal((await ask(desk, { tool: 'read_file' })).call.status, 'pending');
  });

  it('is checked against its own schema, and offers only the decisions that its program supports', async (t) => {
    const desk = await build(t);
    const schema = {
      type: 'object',
      properties: { table: { type: 'string', pattern: '^[a-z]+$' } },
      required: ['table'],
      additionalProperties: false,
    };
    const wrong = await desk.outside.request(CALLER, { ...ASKED, schema, args: { table: 'A' } });
    assert.equal(wrong.kind, 'invalid');
    const { call } = await ask(desk, { schema, decisions: ['approve', 'ignore'] });
    assert.deepEqual(call.route?.decisions, ['approve', 'ignore']);
    const edit = { kind: 'edit', args: { table: 'orders' } } as const;
    assert.equal((await desk.decide(call, REQUESTER, edit)).kind, 'not-allowed');
  });

  it('keeps its program’s deadline and decisions after it escalates', async (t) => {
    const lead = { ...REQUESTER_ROUTE, name: 'lead', deadlineMs: 3_600_000 };
    const desk = await build(t, askAll({ escalate: { afterMs: 60_000, to: lead } }));
    const more = { deadlineMs: 600_000, decisions: ['approve', 'ignore'] } as const;
    const { call } = await ask(desk, more);
    await desk.clock.advance(60_000);
    await desk.rest();
    const gone = await desk.store.ledger.get(call.id);
    assert.equal(gone?.route?.name, 'lead');
    assert.deepEqual(gone?.route?.decisions, ['approve', 'ignore']);
    assert.equal(gone?.deadlineAt, call.createdAt + 600_000);
  });
});
