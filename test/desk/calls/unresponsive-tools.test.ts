/** Tools that keep running after they are told to stop: nobody is told that they have stopped. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { plainMasking } from '../../../src/domain/secrets/mask-secrets.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { buildButtons } from '../../../src/slack/cards/sections/buttons.ts';
import { OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, TOOL_TIMEOUT_MS } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import { until } from '../../support/until.ts';
import { assertStopped, onlyCall } from '../support/stopping-desk.ts';

/** A desk whose approved tool runs and ignores its signal. */
async function runIgnoringSignal(t: TestContext, idempotent = false) {
  const tool = createRecordedTool({ idempotent });
  const desk = await buildDesk(t, { gate: askAll(), tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('As you say.'),
  );
  await desk.send('please act');
  const release = tool.hold('deaf');
  const deciding = desk.decide(await onlyCall(desk), REQUESTER);
  await until(() => tool.runs.length === 1);
  /** The time that a tool has to react to its signal. */
  const passGracePeriod = async () => {
    await until(async () => (await desk.store.inbox.current(THREAD))?.stopped !== undefined);
    let isOver = false;
    void deciding.then(() => {
      isOver = true;
    });
    // The stop is stored before the tool gets its signal.
    const passes = async () => {
      await desk.clock.advance(500);
      return isOver;
    };
    await until(passes, 20);
  };
  return { desk, tool, release, deciding, passGracePeriod };
}

describe('a tool that ignores its abort signal', () => {
  it('is unknown after a stop, not stopped: the agent is told so, and its card asks people', async (t) => {
    const { desk, release, deciding, passGracePeriod } = await runIgnoringSignal(t);
    const stopping = desk.send('stop', OUTSIDER);
    await passGracePeriod();
    await Promise.all([stopping, deciding]);
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.match(plainSentence(call.note ?? ''), /the tool did not stop\. It may still be running/);
    assert.ok(call.outcome?.kind === 'unknown');
    await assertStopped(desk, OUTSIDER, 1);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /not known whether this ran/);
    const drawn = desk.chat.cards.get(call.id);
    assert.equal(drawn?.status, 'unknown');
    const masking = plainMasking({ mark: TEST_MARK, reveals: true });
    const foot = JSON.stringify(
      buildButtons(call, { whole: true, size: 0, editable: false, masking }),
    );
    for (const id of ['settle-ran', 'settle-rerun', 'settle-leave'])
      assert.match(foot, new RegExp(id));
    release();
    await until(() => desk.chat.said.some(({ text }) => text.includes('has now ended')));
    assert.match(desk.chat.said.at(-1)?.text ?? '', /It ended well.*say on its card/);
    const digest = call.digest.slice(0, 10);
    const finding = { callId: call.id, attempt: 1, digest, by: REQUESTER, finding: 'ran' } as const;
    assert.equal((await desk.desk.settle(finding)).kind, 'decided');
    assert.equal((await onlyCall(desk)).status, 'succeeded');
  });

  it('is unknown at its timeout, and the turn waits until people settle it', async (t) => {
    const { desk, release, deciding } = await runIgnoringSignal(t);
    await desk.clock.advance(TOOL_TIMEOUT_MS);
    await desk.clock.advance(1_500);
    await deciding;
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.match(plainSentence(call.note ?? ''), /took too long and was told to stop/);
    assert.equal(desk.model.requests.length, 1);
    const digest = call.digest.slice(0, 10);
    const shown = { callId: call.id, attempt: 1, digest, by: REQUESTER };
    await desk.desk.settle({ ...shown, finding: 'leave' });
    await desk.worker.idle();
    assert.equal(desk.chat.said.at(-1)?.text, 'As you say.');
    release();
    await desk.worker.idle();
    assert.equal(desk.chat.said.at(-1)?.text, 'As you say.');
  });

  it('is reported as still running if it is idempotent, and nobody is asked', async (t) => {
    const { desk, release, deciding, passGracePeriod } = await runIgnoringSignal(t, true);
    const stopping = desk.send('stop');
    await passGracePeriod();
    await Promise.all([stopping, deciding]);
    const { status, outcome } = await onlyCall(desk);
    assert.equal(status, 'failed');
    assert.ok(outcome?.kind === 'error');
    assert.match(outcome.text, /stopped by a person, but has not ended: it may still be running/);
    release();
  });

  it('has its result if it ends within the grace period', async (t) => {
    const { desk, release, deciding } = await runIgnoringSignal(t);
    const stopping = desk.send('stop');
    await until(async () => (await desk.store.inbox.current(THREAD))?.stopped !== undefined);
    await desk.clock.advance(1_000);
    release();
    await Promise.all([stopping, deciding]);
    const { status, outcome } = await onlyCall(desk);
    assert.deepEqual([status, outcome], ['succeeded', { kind: 'result', text: 'did a' }]);
  });
});
