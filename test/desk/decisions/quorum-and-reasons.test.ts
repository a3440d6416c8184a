/** How many people have to approve, who does not count, and the reasons they give. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { approvalDesk, GROUP_ROUTE } from '../support/approval-desk.ts';

describe('a requester who decides', () => {
  it('can edit but not approve without self-approval, and approves nothing afterwards', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, quorum: 2 });
    on.directory.setGroup('usergroup:S1', ['U1', 'U2', 'U3']);
    const edit = { kind: 'edit', args: { note: 'mine' } } as const;
    assert.equal((await on.desk.decide(await on.call(), REQUESTER, edit)).kind, 'recorded');
    assert.equal((await on.desk.decide(await on.call(), REQUESTER)).kind, 'not-allowed');
    assert.deepEqual((await on.call()).votes, []);
    await on.desk.decide(await on.call(), APPROVER);
    assert.equal((await on.call()).status, 'pending');
    await on.desk.decide(await on.call(), SECOND_APPROVER);
    assert.deepEqual(
      on.tool.runs.map(({ note }) => note),
      ['mine'],
    );
  });
});

describe('a quorum', () => {
  const TWO = { ...GROUP_ROUTE, quorum: 2 };

  it('counts different people, and an edit resets it', async (t) => {
    const on = await approvalDesk(t, TWO);
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'recorded');
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'already-voted');
    const edit = { kind: 'edit', args: { note: 'b' } } as const;
    assert.equal((await on.desk.decide(await on.call(), SECOND_APPROVER, edit)).kind, 'recorded');
    const edited = await on.call();
    assert.deepEqual(
      edited.votes.map(({ by }) => by),
      [SECOND_APPROVER],
    );
    assert.equal(edited.attempt, 2);
    assert.equal((await on.desk.decide(edited, APPROVER)).kind, 'decided');
    assert.deepEqual(
      on.tool.runs.map(({ note }) => note),
      ['b'],
    );
  });

  it('does not apply to ignore: one person is enough', async (t) => {
    const on = await approvalDesk(t, TWO);
    await on.desk.decide(await on.call(), APPROVER);
    await on.desk.decide(await on.call(), SECOND_APPROVER, { kind: 'ignore' });
    assert.equal((await on.call()).status, 'ignored');
    assert.deepEqual(on.tool.runs, []);
  });
});

describe('a reason', () => {
  const ROUTE = { ...GROUP_ROUTE, quorum: 2, requiresReason: true };

  it('is required if the route requires one; without it nothing counts and nothing is audited', async (t) => {
    const on = await approvalDesk(t, ROUTE);
    const before = await on.call();
    for (const decision of [{ kind: 'approve' }, { kind: 'approve', reason: ' \n ' }] as const) {
      assert.equal((await on.desk.decide(before, APPROVER, decision)).kind, 'needs-reason');
    }
    assert.deepEqual(await on.call(), before);
    assert.deepEqual(await on.audited('call.vote'), []);
    assert.equal((await on.desk.decide(before, OUTSIDER)).kind, 'not-allowed');
  });

  it('has at most 300 characters', async (t) => {
    const on = await approvalDesk(t, ROUTE);
    const reason = 'x'.repeat(301);
    const outcome = await on.desk.decide(await on.call(), APPROVER, { kind: 'approve', reason });
    assert.ok(outcome.kind === 'invalid');
    assert.match(outcome.problems[0]?.message ?? '', /at most 300 characters; this has 301/);
  });

  it('is stored with the approval, in the audit and in what the agent is told', async (t) => {
    const on = await approvalDesk(t, ROUTE);
    const give = async (by: typeof APPROVER, reason: string) =>
      await on.desk.decide(await on.call(), by, { kind: 'approve', reason });
    await give(APPROVER, ' It is in\nthe plan. ');
    await give(SECOND_APPROVER, 'Checked twice.');
    assert.deepEqual(
      (await on.call()).votes.map(({ reason }) => reason),
      ['It is in\nthe plan.', 'Checked twice.'],
    );
    assert.match(
      (await on.audited('call.vote'))[0] ?? '',
      /T1\/U2 .*"reason":"It is in\\nthe plan\."/,
    );
    assert.match(
      (await on.audited('call.approve'))[0] ?? '',
      /T1\/U3 .*"reason":"Checked twice\."/,
    );
    const heard = on.desk.model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    assert.equal(
      heard?.content,
      'Approved by U2: It is in the plan.\nApproved by U3: Checked twice.\ndid a',
    );
  });

  it('that is missing from an edit prevents its approval', async (t) => {
    const on = await approvalDesk(t, { ...ROUTE, quorum: 1 });
    const edit = { kind: 'edit', args: { note: 'b' } } as const;
    assert.equal((await on.desk.decide(await on.call(), APPROVER, edit)).kind, 'recorded');
    const edited = await on.call();
    assert.deepEqual([edited.status, edited.votes], ['pending', []]);
    await on.desk.decide(edited, APPROVER, { kind: 'approve', reason: 'mine' });
    assert.equal(on.tool.runs.length, 1);
  });
});
