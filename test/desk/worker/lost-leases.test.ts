import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type GateAnswer, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import type { TestDesk } from '../../support/desk/build-desk.ts';
import { until } from '../../support/until.ts';
import { deskWith, onlyCall } from '../support/recorded-desk.ts';

describe('a worker that stalls past its lease', () => {
  async function stall(
    t: TestContext,
    idempotent: boolean,
    meanwhile: (now: { readonly desk: TestDesk; answer: GateAnswer }) => unknown = () => {},
  ) {
    const now = { answer: { kind: 'ask', route: REQUESTER_ROUTE } as GateAnswer };
    const answer = () => now.answer;
    const { desk, tool } = await deskWith(t, { stalled: true, idempotent, answer });
    const release = tool.hold();
    await desk.send('act');
    const call = await onlyCall(desk);
    const deciding = desk.decide(call, REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(31_000);
    await meanwhile(Object.assign(now, { desk }));
    const other = desk.takeOver();
    return { desk, tool, release, deciding, other };
  }

  it('leaves the call unknown, and its late result changes nothing', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, false);
    await other.idle();
    assert.equal((await onlyCall(desk)).status, 'unknown');
    release();
    await deciding;
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.equal(tool.runs.length, 1);
    const digest = call.digest.slice(0, 10);
    const finding = { callId: call.id, attempt: 1, digest, by: REQUESTER, finding: 'ran' } as const;
    assert.equal((await desk.desk.settle(finding)).kind, 'decided');
    await other.idle();
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /A person checked: it ran/);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('has its idempotent call run again with the same key', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true);
    await until(() => tool.runs.length === 2);
    release();
    await other.idle();
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'succeeded');
    assert.equal(tool.runs.length, 2);
    assert.equal(new Set(tool.runs.map(({ key }) => key)).size, 1);
  });

  it('does not have it run again if the policy forbids it now, and people are asked what happened', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, (now) => {
      now.answer = { kind: 'refuse', reason: 'Frozen now.' };
    });
    await other.idle();
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.match(plainSentence(call.note ?? ''), /not run again: Frozen now\. It may have run/);
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
  });

  it('does not have it run again if its arguments were changed, and nobody claims that it never ran', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, async (now) => {
      const running = await onlyCall(now.desk);
      const tampered = { ...running, args: '{"note":"b"}', revision: running.revision + 1 };
      await now.desk.store.ledger.write(running, [{ cause: 'recover', call: tampered }], {});
    });
    await other.idle();
    const call = await onlyCall(desk);
    assert.equal(call.status, 'failed');
    assert.match(plainSentence(call.note ?? ''), /integrity_error.*It was not run again\.$/);
    assert.match(JSON.stringify(call.outcome), /It is not known whether this ran/);
    assert.ok(desk.chat.said.every(({ text }) => !text.includes('Nothing was run')));
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
  });

  it('does not have it run again if its approval no longer suffices', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, (now) => {
      now.answer = { kind: 'ask', route: { ...REQUESTER_ROUTE, quorum: 2 } };
    });
    await other.idle();
    assert.equal((await onlyCall(desk)).status, 'unknown');
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
  });
});
