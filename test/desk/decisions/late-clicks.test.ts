/** After a call has ended, its card is settled, and a later click on any surface only gets that answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { until } from '../../support/until.ts';
import {
  type ApprovalDesk,
  approvalDesk,
  GROUP_ROUTE,
  SURFACES,
} from '../support/approval-desk.ts';

const HOUR_MS = 3_600_000;

const ENDS: Readonly<Record<string, (on: ApprovalDesk) => Promise<unknown>>> = {
  succeeded: async ({ desk, call }) => await desk.decide(await call(), SECOND_APPROVER),
  replied: async ({ desk }) => await desk.send('use b', SECOND_APPROVER),
  ignored: async ({ desk, call }) =>
    await desk.decide(await call(), SECOND_APPROVER, { kind: 'ignore' }),
  withdrawn: async ({ desk }) => await desk.send('never mind', REQUESTER),
  expired: async ({ desk }) => {
    await desk.clock.advance(24 * HOUR_MS);
    await desk.worker.idle();
  },
};

describe('a click that comes too late', () => {
  for (const [status, end] of Object.entries(ENDS)) {
    it(`changes nothing on any surface of a call that is ${status}, and the response says so`, async (t) => {
      const on = await approvalDesk(t);
      await end(on);
      const ended = await on.call();
      assert.equal(ended.status, status);
      // The card does not show whether the outcome was delivered to the agent.
      const drawn = on.desk.chat.cards.get(ended.id);
      assert.deepEqual({ ...drawn, delivered: true }, { ...ended, delivered: true });
      const runs = on.tool.runs.length;
      for (const surface of SURFACES) {
        assert.equal(await surface.use(on, APPROVER), 'already-decided', surface.name);
      }
      assert.deepEqual(await on.call(), ended);
      assert.equal(on.tool.runs.length, runs);
    });
  }

  it('does not reveal the status to a person who may not decide here', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.decide(await on.call(), SECOND_APPROVER);
    on.directory.setPerson('U9', { standing: 'guest' });
    assert.equal((await on.desk.decide(await on.call(), OUTSIDER)).kind, 'not-allowed');
  });
});

describe('a call that nobody decides', () => {
  it('expires as undecided, and is not recorded as a person’s verdict', async (t) => {
    const on = await approvalDesk(t);
    await on.desk.clock.advance(24 * HOUR_MS);
    await on.desk.worker.idle();
    const call = await on.call();
    assert.equal(call.verdict, undefined);
    const heard = on.desk.model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    assert.match(String(heard?.content), /nobody decided in time.*not a denial.*not work around/i);
    assert.equal((await on.audited('call.expire')).length, 1);
    assert.deepEqual(on.tool.runs, []);
  });

  it('is not reopened by an approval that comes four hours late', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, deadlineMs: HOUR_MS });
    const shown = await on.call();
    await on.desk.clock.advance(5 * HOUR_MS);
    await on.desk.worker.idle();
    const outcome = await on.desk.decide(shown, APPROVER);
    assert.ok(outcome.kind === 'already-decided' && outcome.call.status === 'expired');
    assert.deepEqual(on.tool.runs, []);
  });
});

describe('a card that cannot be posted', () => {
  for (const why of ['not_in_channel', 'channel_not_found', 'is_archived']) {
    it(`with ${why} leaves the call pending and decidable, and tells its requester the remedy`, async (t) => {
      const on = await approvalDesk(t);
      const call = await on.call();
      on.desk.chat.failCards(new ChatError('undeliverable', `No place (${why}). Invite me.`));
      const edit = { kind: 'edit', args: { note: 'b' }, keepsUnseen: true } as const;
      await on.desk.decide(call, APPROVER, edit);
      assert.equal(on.told(REQUESTER).join(), '');
      // It is retried, and reported once the failures have lasted a minute.
      await until(async () => {
        await on.desk.clock.advance(15_000);
        await on.desk.rest();
        return on.told(REQUESTER).length > 0;
      });
      assert.match(on.told(REQUESTER).join(), new RegExp(`${why}.*Invite me.*Nothing was run`));
      assert.deepEqual(on.tool.runs, []);
      // Any other surface still decides it.
      assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'decided');
      assert.equal((await on.call()).status, 'succeeded');
    });
  }

  it('is posted again if it was deleted, and the call is decided there', async (t) => {
    const on = await approvalDesk(t);
    const call = await on.call();
    on.desk.chat.failNext(new ChatError('gone', 'The message was deleted.'));
    const edit = { kind: 'edit', args: { note: 'b' }, keepsUnseen: true } as const;
    await on.desk.decide(call, APPROVER, edit);
    assert.equal(on.desk.chat.posts.get(call.id), 2);
    assert.equal((await on.desk.decide(await on.call(), APPROVER)).kind, 'decided');
  });
});
