import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import type { Call } from '../../src/domain/call.ts';
import { shortDigest } from '../../src/domain/digest.ts';
import { plainSentence } from '../../src/domain/sentence.ts';
import { REQUESTER } from '../support/a-call.ts';
import { buildDesk, type TestDesk } from '../support/build-desk.ts';
import { sayCalls, sayText } from '../support/mock-model.ts';
import { createRecordedTool } from '../support/recorded-tool.ts';

async function deskWith(t: TestContext) {
  const tool = createRecordedTool();
  // Its first worker is stopped between the approval and the run.
  const desk = await buildDesk(t, { tools: [tool.definition], stalled: true });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"ten"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

/** Changes the stored document of the only call as somebody with the file could. */
function tamper(desk: TestDesk, change: (call: Call) => unknown): void {
  const db = new Database(join(desk.dataDir, 'countersign.db'));
  try {
    const { document } = db
      .prepare<[], { document: string }>('SELECT document FROM calls')
      .get() ?? {
      document: '',
    };
    db.prepare('UPDATE calls SET document = ?').run(JSON.stringify(change(JSON.parse(document))));
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
  ['arguments that are no JSON', (call) => ({ ...call, args: '{"note":' })],
  ['another tool’s schema', (call) => ({ ...call, schemaHash: 'b'.repeat(64) })],
  ['another requester', (call) => ({ ...call, requester: { team: 'T1', user: 'U2' } })],
  ['another basis of its preview', (call) => ({ ...call, basis: 'b' })],
];

describe('a stored call that somebody changed in the database file', () => {
  for (const [what, change] of TAMPERINGS) {
    it(`after its approval runs nothing, and everybody is told: ${what}`, async (t) => {
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
      assert.match(notice?.text ?? '', /is not what was shown.*has changed my database/);
      assert.match(JSON.stringify(desk.model.requests.at(-1)), /stored arguments had been changed/);
    });
  }

  it('before its approval is not approved: the click stops it', async (t) => {
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

  it('with a digest of its own is stale to the card that people saw', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    tamper(desk, (stored) => ({ ...stored, args: '{"note":"all"}', digest: 'f'.repeat(64) }));
    assert.equal((await desk.decide(call, REQUESTER)).kind, 'stale');
    assert.deepEqual(tool.runs, []);
  });
});
