import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { defineTool } from '../../../src/agent/tools/define-tool.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { runCallKey } from '../../../src/domain/ports/agenda.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import {
  APPROVER,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

async function deskWith(t: TestContext, options: Partial<Parameters<typeof buildDesk>[1]> = {}) {
  const tool = createRecordedTool();
  // The first worker is stopped between the approval and the run.
  const desk = await buildDesk(t, { tools: [tool.definition], stalled: true, ...options });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"ten"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

/** Changes the stored document of the only call, as a person with access to the file could. */
function tamper(desk: TestDesk, change: (call: Call) => unknown): void {
  const db = new Database(join(desk.dataDir, 'countersign.db'));
  try {
    const where = `WHERE key LIKE 'call/%'`;
    const read = db.prepare<[], string>(`SELECT document FROM records ${where}`).pluck();
    const changed = JSON.stringify(change(JSON.parse(read.get() ?? '')));
    db.prepare(`UPDATE records SET document = ? ${where}`).run(changed);
  } finally {
    db.close();
  }
}

async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

async function integrityEntries(desk: TestDesk) {
  const entries = await desk.store.audit.read(1, 1_000);
  return entries.filter(({ event }) => event === 'call.integrity');
}

const TAMPERINGS: readonly (readonly [what: string, change: (call: Call) => unknown])[] = [
  ['other arguments', (call) => ({ ...call, args: '{"note":"all"}' })],
  ['arguments that are not JSON', (call) => ({ ...call, args: '{"note":' })],
  ['another tool’s schema', (call) => ({ ...call, schemaHash: 'b'.repeat(64) })],
  ['another requester', (call) => ({ ...call, requester: { team: 'T1', user: 'U2' } })],
  ['another basis of its preview', (call) => ({ ...call, basis: 'b' })],
  ['other arguments with a matching digest', (call) => withDigest({ ...call, args: OTHER })],
  ['another helper, with other tools', (call) => ({ ...call, agent: 'worker' })],
  ['a route on which others decide', (call) => ({ ...call, route: ANYBODY })],
  ['a later deadline', (call) => ({ ...call, deadlineAt: Number(call.deadlineAt) + 1 })],
];
const ANYBODY = { ...REQUESTER_ROUTE, approvers: ['user:U9'] };
const OTHER = '{"note":"all"}';

function withDigest(call: Call): Call {
  return { ...call, digest: callDigestOf(call) };
}

describe('a stored call that was changed in the database file', () => {
  for (const [what, change] of TAMPERINGS) {
    it(`runs nothing if the change comes after its approval, and raises the alarm: ${what}`, async (t) => {
      const { desk, tool } = await deskWith(t);
      await desk.send('act');
      const call = await onlyCall(desk);
      await desk.worker.stop(0);
      const { id: callId, attempt } = call;
      const digest = shortDigest(call.digest);
      const decision = { kind: 'approve' } as const;
      const outcome = await desk.desk.decide({ callId, attempt, digest, by: REQUESTER, decision });
      assert.equal(outcome.kind, 'decided');
      tamper(desk, change);
      await desk.takeOver().idle();

      assert.deepEqual(tool.runs, []);
      const failed = desk.chat.cards.get(callId);
      assert.equal(failed?.status, 'failed');
      assert.match(plainSentence(failed?.note ?? ''), /^integrity_error/);
      assert.equal((await integrityEntries(desk)).length, 1);
      assert.equal(desk.integrity.count(), 1);
      const notice = desk.chat.said.find(({ id }) => id === `integrity:${callId}`);
      assert.match(notice?.text ?? '', /is not the one that was shown.*has changed its database/);
      assert.match(JSON.stringify(desk.model.requests.at(-1)), /stored arguments had been changed/);
    });
  }

  it('is not approved if the change comes before its approval: the click stops it', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    tamper(desk, (stored) => ({ ...stored, args: '{"note":"all"}' }));
    const outcome = await desk.decide(call, REQUESTER);
    assert.equal(outcome.kind, 'already-decided');
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.deepEqual(tool.runs, []);
    assert.equal(desk.integrity.count(), 1);
  });

  it('is stale for the card that people saw if its digest was changed too', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    tamper(desk, (stored) => ({ ...stored, args: '{"note":"all"}', digest: 'f'.repeat(64) }));
    assert.equal((await desk.decide(call, REQUESTER)).kind, 'stale');
    assert.deepEqual(tool.runs, []);
  });

  it('is not approved by an added second approval', async (t) => {
    const { desk, tool } = await deskWith(t, { gate: askAll(TWO_APPROVERS) });
    await desk.send('act');
    assert.equal((await desk.decide(await onlyCall(desk), APPROVER)).kind, 'recorded');
    await desk.worker.stop(0);
    tamper(desk, (stored) => {
      const votes = [...stored.votes, { by: SECOND_APPROVER, at: stored.updatedAt }];
      return { ...stored, votes, status: 'approved' };
    });
    await runNow(desk);
    assert.deepEqual(tool.runs, []);
    assert.match(plainSentence((await onlyCall(desk)).note ?? ''), /^integrity_error/);
    assert.equal(desk.integrity.count(), 1);
  });

  it('is not approved by the next approval if an approval was added', async (t) => {
    const { desk, tool } = await deskWith(t, { gate: askAll(TWO_APPROVERS) });
    await desk.send('act');
    tamper(desk, (stored) => ({ ...stored, votes: [{ by: SECOND_APPROVER, at: 1 }] }));
    await desk.decide(await onlyCall(desk), APPROVER);
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.deepEqual(tool.runs, []);
    assert.equal(desk.integrity.count(), 1);
  });

  it('is not approved by a changed status alone', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    await desk.worker.stop(0);
    tamper(desk, (stored) => ({ ...stored, status: 'approved' }));
    await runNow(desk);
    assert.deepEqual(tool.runs, []);
    assert.equal((await onlyCall(desk)).status, 'failed');
  });

  it('does not run if the change comes between its claim and its run, even with a matching digest', async (t) => {
    const { desk, tool } = await deskWith(t, { stalled: false });
    await desk.send('act');
    const call = await onlyCall(desk);
    const { ledger } = desk.store;
    const read = ledger.get;
    t.mock.method(ledger, 'get', async (id: string) => {
      const stored = await read(id);
      if (stored?.status !== 'running') return stored;
      tamper(desk, (each) => withDigest({ ...each, args: OTHER }));
      return await read(id);
    });
    await desk.decide(call, REQUESTER);
    assert.deepEqual(tool.runs, []);
    assert.equal(desk.integrity.count(), 1);
  });

  it('is approved by nobody if its seal was removed: people are asked again', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    await desk.worker.stop(0);
    tamper(desk, ({ seal: _seal, ...stored }) => {
      const votes = [{ by: REQUESTER, at: stored.updatedAt }];
      return withDigest({ ...stored, votes, args: OTHER, status: 'approved' });
    });
    const worker = await runNow(desk);
    assert.deepEqual(tool.runs, []);
    const asked = await onlyCall(desk);
    assert.equal(asked.status, 'pending');
    assert.match(
      plainSentence(asked.note ?? ''),
      /The earlier approvals can no longer be verified/,
    );
    assert.equal(desk.chat.cards.get(asked.id)?.args, OTHER, 'the card shows what would run');
    await desk.decide(asked, REQUESTER);
    await worker.idle();
    assert.deepEqual(
      tool.runs.map(({ note }) => note),
      ['all'],
    );
  });
});

it('a server’s tool that changes between the claim and the run does not run, and raises no alarm', async (t) => {
  const recorded = createRecordedTool();
  const defined = defineTool(recorded.definition);
  assert(defined.kind === 'tool');
  const tool: { -readonly [Key in keyof Tool]: Tool[Key] } = { ...defined.tool, server: 'box' };
  const desk = await buildDesk(t, { tools: [], made: [tool] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"ten"}' }]) : sayText('Done.'),
  );
  await desk.send('act');
  const { ledger } = desk.store;
  const read = ledger.get;
  t.mock.method(ledger, 'get', async (id: string) => {
    const stored = await read(id);
    if (stored?.status === 'running') tool.schemaHash = 'b'.repeat(64);
    return stored;
  });
  await desk.decide(await onlyCall(desk), REQUESTER);
  assert.deepEqual(recorded.runs, []);
  const { outcome, status } = await onlyCall(desk);
  assert.equal(status, 'failed');
  assert.match(
    JSON.stringify(outcome),
    /Not run: the tool “act” has changed since it was approved/,
  );
  assert.equal(desk.integrity.count(), 0);
  assert.equal((await integrityEntries(desk)).length, 0);
});

/** Runs the only call as the agenda would. */
async function runNow(desk: TestDesk) {
  const call = await onlyCall(desk);
  await desk.store.outbox.add([], [{ key: runCallKey(call), dueAt: desk.clock.now() }]);
  const worker = desk.takeOver();
  await worker.idle();
  return worker;
}
