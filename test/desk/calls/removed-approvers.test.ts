/** An approver may lose the right between the click and the run, so the claim checks again. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { APPROVER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { type ApprovalDesk, approvalDesk, GROUP_ROUTE } from '../support/approval-desk.ts';

const TWO = { ...GROUP_ROUTE, quorum: 2 };
const THIRD = { team: 'T1', user: 'U4' };

async function note(on: ApprovalDesk): Promise<string> {
  return plainSentence((await on.call()).note ?? '');
}

/** Two people have to approve, and U2 has approved. */
async function halfApproved(t: TestContext): Promise<ApprovalDesk> {
  const on = await approvalDesk(t, TWO);
  on.directory.setGroup('usergroup:S1', ['U2', 'U3', 'U4'], { handle: 'ops' });
  await on.desk.decide(await on.call(), APPROVER);
  return on;
}

describe('an approval whose approver lost the right before the run', () => {
  it('does not count after they left the group: back to pending with their name, and another person approves', async (t) => {
    const on = await halfApproved(t);
    on.directory.setGroup('usergroup:S1', ['U3', 'U4'], { handle: 'ops' });
    await on.desk.decide(await on.call(), SECOND_APPROVER);
    const back = await on.call();
    assert.equal(back.status, 'pending');
    assert.deepEqual(on.tool.runs, []);
    assert.match(await note(on), /U2 \(no longer an approver of this call\)\. Nothing was run/);
    assert.deepEqual(on.desk.chat.cards.get(back.id), back);
    assert.equal((await on.audited('call.recheck')).length, 1);
    await on.desk.decide(back, THIRD);
    assert.equal((await on.call()).status, 'succeeded');
  });

  it('does not count after they were deactivated or became a guest', async (t) => {
    for (const [standing, words] of [
      ['gone', /U2 \(deactivated\)/],
      ['guest', /U2 \(a guest\)/],
    ] as const) {
      const on = await halfApproved(t);
      on.directory.setPerson('U2', { standing });
      await on.desk.decide(await on.call(), SECOND_APPROVER);
      assert.equal((await on.call()).status, 'pending');
      assert.match(await note(on), words);
      assert.deepEqual(on.tool.runs, []);
    }
  });

  it('does not count even if a cached answer still lists them as a member', async (t) => {
    const on = await halfApproved(t);
    const ask = on.directory.profileOf;
    on.directory.profileOf = async (person, asking = {}) => {
      const isGone = person.user === APPROVER.user && (asking.maxAgeMs ?? 60_000) < 10_000;
      return { ...(await ask(person, asking)), ...(isGone && { standing: 'gone' as const }) };
    };
    await on.desk.clock.advance(10_000);
    await on.desk.decide(await on.call(), SECOND_APPROVER);
    assert.equal((await on.call()).status, 'pending');
    assert.match(await note(on), /U2 \(deactivated\)/);
    assert.deepEqual(on.tool.runs, []);
  });

  it('is checked at the claim with a new lookup, not from the cache', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.decide(await on.call(), APPROVER);
    assert.equal(on.directory.askedGroups.at(-1)?.asking.maxAgeMs, 0);
    assert.equal((await on.call()).status, 'succeeded');
  });
});

describe('a claim while Slack does not answer about the approvers', () => {
  /** Slack answers about the group at the click, and fails at the claim. */
  function failClaims(on: ApprovalDesk, failing: () => boolean): void {
    const ask = on.directory.groupOf;
    on.directory.groupOf = async (group, asking) => {
      if (asking?.maxAgeMs === 0 && failing()) throw new ChatError('temporary', 'Slack is down.');
      return await ask(group, asking);
    };
  }

  it('is retried, and the call runs once when Slack answers', async (t) => {
    const on = await approvalDesk(t);
    let failing = true;
    failClaims(on, () => failing);
    await on.desk.decide(await on.call(), APPROVER);
    assert.equal((await on.call()).status, 'approved');
    assert.deepEqual(on.tool.runs, []);
    failing = false;
    await on.desk.clock.advance(1_000);
    await on.desk.worker.idle();
    assert.equal((await on.call()).status, 'succeeded');
    assert.equal(on.tool.runs.length, 1);
  });

  it('finally returns the call to pending with the reason, and never runs it by itself', async (t) => {
    const on = await approvalDesk(t);
    let failing = true;
    failClaims(on, () => failing);
    await on.desk.decide(await on.call(), APPROVER);
    for (let i = 0; i < 6; i += 1) {
      await on.desk.clock.advance(20_000);
      await on.desk.worker.idle();
    }
    const back = await on.call();
    assert.equal(back.status, 'pending');
    assert.deepEqual(back.votes, []);
    assert.match(
      await note(on),
      /Slack could not confirm the approvers when this was about to run\. Nothing was run/,
    );
    failing = false;
    await on.desk.clock.advance(600_000);
    await on.desk.worker.idle();
    assert.deepEqual(on.tool.runs, []);
    assert.equal((await on.desk.decide(back, APPROVER)).kind, 'decided');
    assert.equal((await on.call()).status, 'succeeded');
  });

  it('still expires at the deadline', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, deadlineMs: 2_000 });
    failClaims(on, () => true);
    await on.desk.decide(await on.call(), APPROVER);
    await on.desk.clock.advance(2_000);
    await on.desk.worker.idle();
    assert.equal((await on.call()).status, 'expired');
  });
});
