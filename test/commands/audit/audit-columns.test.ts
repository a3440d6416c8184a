/** The columns that `countersign audit export` adds to each entry: names, the full digest, and the call. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { flatColumnsOf } from '../../../src/commands/audit/audit-columns.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { inTurn } from '../../support/sample.ts';
import type { StoreKind } from '../../support/store/open-redis.ts';
import { callIn, draftAt, NOW, openAuditStage } from './audit-stage.ts';

const DIGEST = '0123456789abcdef'.repeat(4);

/** An audit with an entry about a call of the requester, decided by the approver. */
async function auditOf(t: TestContext, kind: StoreKind) {
  const stage = await openAuditStage(t, kind);
  const call = aCall({
    status: 'proposed',
    thread: threadKey({ team: 'T0PLAYGROUND', channel: 'C0OPS', ts: '1.0' }),
    tool: '=pay',
    requester: { team: 'T0PLAYGROUND', user: 'U0REQUESTER' },
  });
  await stage.store.ledger.propose(call, { audit: [] });
  const detail = { from: 'pending', to: 'approved', attempt: 1, digest: DIGEST, reason: '+fine' };
  await stage.store.audit.append([
    draftAt(NOW, { subject: call.id, actor: 'T0PLAYGROUND/U0APPROVER', detail }),
    draftAt(NOW, { subject: 'call_gone', actor: 'countersign', detail: {} }),
  ]);
  return stage;
}

describe('an exported entry', () => {
  it('names its call as cards do: with its origin, and never a program’s text as ours', () => {
    const entry = { ...draftAt(NOW, {}), seq: 1, mark: '' };
    const about = { requester: { team: 'T1', user: 'U1' }, thread: aCall().thread };
    const call = { ...about, tool: 'close_account', summary: 'Close A-1' };
    const names = { nameOf: () => undefined };
    const summaryOf = (more: object) => flatColumnsOf(entry, { ...call, ...more }, names).summary;
    assert.equal(summaryOf({}), 'Close A-1');
    assert.equal(summaryOf({ summary: undefined }), 'Close account');
    const outside = { by: 'key', name: 'bot', summary: 'Harmless' } as const;
    assert.equal(summaryOf({ outside, summary: undefined }), 'bot: close_account');
    assert.equal(summaryOf({ server: 'bank', summary: undefined }), 'bank: close_account');
  });

  for (const kind of inTurn(['SQLite', 'Redis'] as const, 1)) {
    it(`has its call, from ${kind}, and no names without Slack`, async (t) => {
      const stage = await auditOf(t, kind);
      const { err, out } = await stage.call('audit', 'export');
      assert.equal(err, '');
      const [first, gone] = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { actorId, actorName, attempt, channelId, digest, from, reason } = first;
      const { requesterId, requesterName, summary, to, tool } = first;
      assert.deepEqual(
        {
          actorId,
          actorName,
          attempt,
          channelId,
          digest,
          from,
          reason,
          requesterId,
          requesterName,
          summary,
          to,
          tool,
        },
        {
          actorId: 'U0APPROVER',
          actorName: '',
          attempt: '1',
          channelId: 'C0OPS',
          digest: DIGEST,
          from: 'pending',
          reason: '+fine',
          requesterId: 'U0REQUESTER',
          requesterName: '',
          summary: '=pay',
          to: 'approved',
          tool: '=pay',
        },
      );
      assert.deepEqual([gone.summary, gone.tool, gone.digest], ['', '', '']);
    });
  }

  it('has the names from Slack, and cells that a spreadsheet reads as text', async (t) => {
    const stage = await auditOf(t, 'SQLite');
    const workspace = await createWorkspace({ clock: createSystemClock() });
    t.after(() => workspace.stop());
    const slack = { SLACK_BOT_TOKEN: workspace.botToken, SLACK_API_URL: workspace.apiUrl };
    const args = ['audit', 'export', '--format', 'csv'];
    const { err, out } = await callIn({ ...stage.env, ...slack }, args);
    assert.equal(err, '');
    const [, row = ''] = out.split('\r\n');
    assert.match(
      row,
      /,U0APPROVER,Avery \(approver\),U0REQUESTER,Riley \(requester\),C0OPS,ops,,,'=pay,'=pay,[0-9a-f]{64},1,pending,approved,,'\+fine$/,
    );
    const refused = await callIn({ ...stage.env, ...slack, SLACK_BOT_TOKEN: 'xoxb-other' }, args);
    assert.match(refused.err, /^Some names are empty: Slack rejects SLACK_BOT_TOKEN/);
    assert.equal(refused.code, 0);
    assert.match(refused.out, /,U0APPROVER,,U0REQUESTER,,C0OPS,,/);
  });
});
