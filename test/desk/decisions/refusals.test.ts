import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { approvalDesk, GROUP_ROUTE, SURFACES } from '../support/approval-desk.ts';

/** The audit entries of refused clicks, with who clicked and for which decision. */
async function refusals({ desk }: Awaited<ReturnType<typeof approvalDesk>>) {
  const entries = await desk.store.audit.read(1, 1_000);
  return entries
    .filter(({ event }) => event.startsWith('decision.'))
    .map(({ actor, detail, event }) => {
      const { decision, ...rest } = detail;
      return [event, actor, decision, ...Object.values(rest)];
    });
}

describe('a click without effect', () => {
  it('is audited when it comes too late, for every decision; opening the full view is not a decision', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.decide(await on.call(), APPROVER);
    const { id: callId, attempt, digest } = await on.call();
    const seen = { callId, attempt, digest: shortDigest(digest), by: SECOND_APPROVER };
    await on.desk.desk.checkDecision({ ...seen, kind: 'approve', renews: true });
    assert.deepEqual(await refusals(on), []);
    for (const { name, use } of SURFACES.filter((surface) => surface.on === 'pending')) {
      if (name === 'the full view') continue;
      assert.equal(await use(on, SECOND_APPROVER), 'already-decided', name);
    }
    assert.deepEqual(
      await refusals(on),
      ['approve', 'approve', 'ignore', 'edit', 'edit', 'reply', 'reply'].map((decision) => [
        'decision.too-late',
        'T1/U3',
        decision,
        'succeeded',
      ]),
    );
  });

  it('is audited when it is a repeat, out of date, does not fit the form, or names no known call', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, quorum: 2 });
    const first = await on.call();
    await on.desk.decide(first, APPROVER);
    await on.desk.decide(await on.call(), APPROVER);
    const misfit = { kind: 'edit', args: { note: 5, secret: 'hunter2' } } as const;
    await on.desk.decide(await on.call(), APPROVER, misfit);
    await on.desk.decide(await on.call(), APPROVER, { kind: 'edit', args: { note: 'b' } });
    await on.desk.decide(first, SECOND_APPROVER);
    await on.desk.decide({ ...first, id: 'call_none' }, SECOND_APPROVER);
    const found = await refusals(on);
    assert.deepEqual(
      found.map(([event, actor, decision]) => [event, actor, decision]),
      [
        ['decision.repeated', 'T1/U2', 'approve'],
        ['decision.invalid', 'T1/U2', 'edit'],
        ['decision.outdated', 'T1/U3', 'approve'],
        ['decision.unknown-call', 'T1/U3', 'approve'],
      ],
    );
    assert.deepEqual(found[1]?.[3], ['note']);
    assert.doesNotMatch(JSON.stringify(await on.desk.store.audit.read(1, 1_000)), /hunter2/);
  });

  it('is audited when a pause prevents it', async (t) => {
    const on = await approvalDesk(t);
    const { pause } = on.desk.store;
    await pause.write({ by: REQUESTER, at: on.desk.clock.now() }, {});
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'not-allowed');
    const [[event, actor, decision, why] = []] = await refusals(on);
    assert.deepEqual([event, actor, decision], ['decision.not-allowed', 'T1/U2', 'approve']);
    assert.match(String(why), /resumes/);
  });

  it('is audited when a person asks again for a call that is not theirs, has not expired, or was asked for already', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, deadlineMs: 60_000 });
    const { id: callId } = await on.call();
    const press = (by = REQUESTER) => on.desk.desk.askAgain({ callId, by });
    await press();
    await on.desk.clock.advance(61_000);
    await on.desk.worker.idle();
    await press(OUTSIDER);
    await press();
    await press();
    assert.deepEqual(
      (await refusals(on)).map(([event, actor, decision]) => [event, actor, decision]),
      [
        ['decision.too-late', 'T1/U1', 'ask-again'],
        ['decision.not-allowed', 'T1/U9', 'ask-again'],
        ['decision.repeated', 'T1/U1', 'ask-again'],
      ],
    );
  });
});
