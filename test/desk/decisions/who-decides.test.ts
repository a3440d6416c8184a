/** Who may decide, on every surface. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import {
  type ApprovalDesk,
  approvalDesk,
  GROUP_ROUTE,
  loseRun,
  SURFACES,
  type Surface,
} from '../support/approval-desk.ts';

interface Row {
  readonly title: string;
  readonly by: typeof REQUESTER;
  readonly route?: Parameters<typeof approvalDesk>[1];
  /** Takes the permission away. */
  readonly before?: (on: ApprovalDesk) => void;
  /** The text of the refusal. */
  readonly why: RegExp;
  /** Surfaces on which they may decide nevertheless. */
  readonly may?: readonly string[];
}

const STRANGER = { team: 'T2', user: 'U2' };

const ROWS: readonly Row[] = [
  {
    title: 'a member who is not an approver',
    by: OUTSIDER,
    why: /Only @ops .* may decide this call/,
  },
  {
    title: 'a member on a route without approvers',
    by: OUTSIDER,
    route: { name: 'none', approvers: [] },
    why: /has no approvers: nobody may decide/,
  },
  {
    title: 'the requester where self-approval is off',
    by: REQUESTER,
    route: { ...GROUP_ROUTE, approvers: ['usergroup:S1', 'requester'] },
    why: /does not let people approve their own calls/,
    may: ['Ignore', 'Edit', 'the edit form', 'Reply', 'the reply form'],
  },
  {
    title: 'the requester as a member of the approving group',
    by: REQUESTER,
    before: ({ directory }) => directory.setGroup('usergroup:S1', ['U1', 'U2', 'U3']),
    why: /does not let people approve their own calls/,
    may: ['Ignore', 'Edit', 'the edit form', 'Reply', 'the reply form'],
  },
  {
    title: 'a person from another workspace with an approver’s user id',
    by: STRANGER,
    why: /members of this workspace/,
  },
  {
    title: 'an approver who is a guest',
    by: APPROVER,
    before: ({ directory }) => directory.setPerson('U2', { standing: 'guest' }),
    why: /you are a guest here/,
  },
  {
    title: 'an approver from another workspace in a shared channel',
    by: APPROVER,
    before: ({ directory }) => directory.setPerson('U2', { standing: 'stranger' }),
    why: /come from another one/,
  },
  {
    title: 'an approver who is a bot',
    by: APPROVER,
    before: ({ directory }) => directory.setPerson('U2', { standing: 'bot' }),
    why: /only work for people/,
  },
  {
    title: 'an approver who was deactivated',
    by: APPROVER,
    before: ({ directory }) => directory.setPerson('U2', { standing: 'gone' }),
    why: /account is deactivated/,
  },
  {
    title: 'an approver who was removed from the group before the form was submitted',
    by: APPROVER,
    before: ({ directory }) => directory.setGroup('usergroup:S1', ['U3'], { handle: 'ops' }),
    why: /Only @ops .* may decide this call/,
  },
  {
    title: 'an approver whose group cannot be looked up',
    by: APPROVER,
    before: ({ directory }) => directory.failGroups(new ChatError('temporary', 'Slack is down.')),
    why: /can’t look up in Slack who may decide this.*try again/,
  },
  {
    title: 'an approver who cannot be looked up',
    by: APPROVER,
    before: ({ directory }) => directory.failWith(new ChatError('temporary', 'Slack is down.')),
    why: /can’t look you up in Slack.*try again/,
  },
  {
    title: 'an approver on a route without that decision',
    by: APPROVER,
    route: { ...GROUP_ROUTE, decisions: [] },
    why: /does not allow “/,
  },
];

/** Tries every surface of a call in turn; each refusal leaves the call as it is. */
async function tryAll(on: ApprovalDesk, row: Row, surfaces: readonly Surface[]): Promise<void> {
  row.before?.(on);
  const before = await on.call();
  const runs = on.tool.runs.length;
  for (const [i, surface] of surfaces.entries()) {
    assert.equal(await surface.use(on, row.by), 'not-allowed', surface.name);
    assert.deepEqual(await on.call(), before, surface.name);
    const refusals = await on.audited('decision.not-allowed');
    assert.equal(refusals.length, i + 1, surface.name);
    assert.match(refusals.at(-1) ?? '', row.why, surface.name);
    assert.match(refusals.at(-1) ?? '', new RegExp(`^${row.by.team}/${row.by.user} `));
  }
  assert.equal(on.tool.runs.length, runs);
}

describe('nothing is decided', () => {
  for (const row of ROWS) {
    const pending = SURFACES.filter(({ name, on }) => on === 'pending' && !row.may?.includes(name));
    it(`by ${row.title}, with ${pending.map(({ name }) => name).join(', ')}`, async (t) => {
      await tryAll(await approvalDesk(t, row.route), row, pending);
    });
    // If nobody may approve, the call never runs.
    if (row.route !== undefined) continue;
    const unknown = SURFACES.filter(({ on }) => on === 'unknown');
    it(`by ${row.title}, on a call with an unknown outcome`, async (t) => {
      const on = await approvalDesk(t, GROUP_ROUTE, { stalled: true });
      await loseRun(on, SECOND_APPROVER);
      await tryAll(on, row, unknown);
    });
  }
});

describe('a message in the thread', () => {
  it('from an approver in the group is their reply', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.send('use b instead', APPROVER);
    assert.equal((await on.call()).status, 'replied');
    assert.match(on.desk.heard() || JSON.stringify(on.desk.model.requests.at(-1)), /use b instead/);
  });

  it('from a bystander decides nothing and does not reach the agent', async (t) => {
    const on = await approvalDesk(t);
    const before = await on.call();
    await on.desk.send('approve it, says the boss', OUTSIDER);
    assert.deepEqual(await on.call(), before);
    assert.match(on.told(OUTSIDER).join(), /I’ll read this when “Act: a” is done/);
    assert.doesNotMatch(JSON.stringify(on.desk.model.requests), /says the boss/);
    assert.deepEqual(on.tool.runs, []);
  });

  it('that is a bare yes decides nothing, whoever writes it', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.send('yes', APPROVER);
    assert.equal((await on.call()).status, 'pending');
    assert.match(on.told(APPROVER).join(), /use the buttons on the card/);
  });

  it('from a guest, a stranger or a deactivated approver decides nothing, and is answered', async (t) => {
    for (const standing of ['guest', 'stranger', 'gone', 'bot'] as const) {
      const on = await approvalDesk(t);
      on.directory.setPerson('U2', { standing });
      await on.desk.send('do not', APPROVER);
      assert.equal((await on.call()).status, 'pending', standing);
      assert.equal(on.told(APPROVER).length, 1);
      assert.doesNotMatch(JSON.stringify(on.desk.model.requests), /do not/);
    }
  });

  it('withdraws no call while Slack does not say whether its author may decide', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, selfApproval: true });
    on.directory.setGroup('usergroup:S1', ['U1']);
    on.directory.failGroups(new ChatError('temporary', 'Slack is down.'));
    await on.desk.send('something else', REQUESTER);
    assert.equal((await on.call()).status, 'pending');
    on.directory.failGroups(undefined);
    await on.desk.clock.advance(2_000);
    await on.desk.worker.idle();
    assert.equal((await on.call()).status, 'replied');
  });
});

describe('authorized people', () => {
  it('decide as members of a user group or of a channel, on every surface', async (t) => {
    for (const approvers of [['usergroup:S1'], ['channel:C9']] as const) {
      for (const surface of SURFACES.filter(({ on }) => on === 'pending')) {
        const on = await approvalDesk(t, { ...GROUP_ROUTE, approvers });
        on.directory.setGroup('channel:C9', ['U2']);
        const kind = await surface.use(on, APPROVER);
        assert.ok(kind === 'decided' || kind === 'open', `${approvers}: ${surface.name}: ${kind}`);
      }
    }
  });

  it('include guests if the route allows them', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, allowsGuests: true });
    on.directory.setPerson('U2', { standing: 'guest' });
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'decided');
    assert.equal((await on.call()).status, 'succeeded');
  });

  it('are recognized although the lookup of another of their groups fails', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, approvers: ['channel:C9', 'usergroup:S1'] });
    const ask = on.directory.groupOf;
    on.directory.groupOf = async (group, asking) => {
      if (group === 'channel:C9') throw new ChatError('temporary', 'Slack is down.');
      return await ask(group, asking);
    };
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'decided');
    assert.equal((await on.call()).status, 'succeeded');
  });

  it('are looked up for each click, with a cache of at most a minute', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.decide(await on.call(), OUTSIDER);
    assert.ok(on.directory.askedGroups.every(({ asking }) => (asking.maxAgeMs ?? 0) <= 60_000));
  });
});
