import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALL_STATUSES } from '../../../src/domain/calls/call.ts';
import { toApproval } from '../../../src/domain/cards/approval-view.ts';
import { sentence } from '../../../src/domain/text/sentence.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, aCall } from '../../support/builders/a-call.ts';

const channel = channelKey({ team: 'T1', channel: 'C1' });
const outside = { by: 'key', key: 'k1', name: 'deploy-bot', metadata: { n: 1 } } as const;

describe('an approval', () => {
  it('shows the public part of a call, with null for what is absent', () => {
    const call = aCall({ thread: channel, outside, askedLine: '', words: '' });
    assert.deepEqual(toApproval(call), {
      id: call.id,
      status: 'pending',
      revision: 2,
      toolName: 'write_file',
      arguments: { content: 'hello', path: 'a.txt' },
      masked: false,
      digest: call.digest,
      attempt: 1,
      edited: false,
      requestedAt: '1970-01-01T00:00:01.000Z',
      decideBy: new Date(call.deadlineAt ?? 0).toISOString(),
      requester: 'U1',
      channel: 'C1',
      thread: null,
      title: 'deploy-bot: write_file',
      summary: null,
      userMessage: null,
      description: null,
      risk: 'medium',
      decisions: call.route?.decisions,
      choices: null,
      approvedBy: [],
      decidedBy: null,
      reply: null,
      reason: null,
      outcome: null,
      metadata: { n: 1 },
      source: { kind: 'key', name: 'deploy-bot' },
    });
    const own = toApproval(aCall({ words: 'Because.', summary: 'Write a.txt' }));
    assert.deepEqual([own.title, own.summary], ['Write a.txt', null]);
    const said = toApproval(aCall({ outside: { ...outside, summary: 'Tidies up.' } }));
    assert.deepEqual([said.title, said.summary], ['deploy-bot: write_file', 'Tidies up.']);
    assert.deepEqual(own.thread, { channel: 'C1', ts: '1700000000.000100' });
    assert.deepEqual(own.source, { kind: 'agent', name: 'agent' });
    assert.deepEqual([own.userMessage, own.description], ['please write a.txt', 'Because.']);
  });

  it('is never “proposed”, and gives the reason for its status', () => {
    const seen = CALL_STATUSES.map((status) => toApproval(aCall({ status })).status);
    assert.ok(!seen.includes('proposed' as never));
    for (const [patch, reason, text] of [
      [{ outcome: { kind: 'refused', reason: 'Too much.' } }, 'Too much.', 'Too much.'],
      [{ note: sentence`Not by ${{ person: 'U7', name: 'Ann' }}.` }, 'Not by Ann (U7).', undefined],
      [{ outcome: { kind: 'unknown', reason: 'Silence.' } }, 'Silence.', 'Silence.'],
      [{ outcome: { kind: 'withdrawn', cause: 'cancelled' } }, null, 'cancelled'],
      [{ outcome: { kind: 'ignored', by: APPROVER } }, null, undefined],
    ] as const) {
      const found = toApproval(aCall(patch));
      assert.deepEqual([found.reason, found.outcome?.text], [reason, text]);
    }
    const reply = { kind: 'reply', text: 'No.', by: APPROVER } as const;
    const verdict = { kind: 'reply', by: APPROVER, at: 5 } as const;
    const replied = toApproval(aCall({ status: 'replied', outcome: reply, verdict }));
    assert.deepEqual([replied.reply, replied.decidedBy, replied.decideBy], ['No.', 'U2', null]);
  });

  it('shows a reader only what they may see', () => {
    const call = aCall({
      thread: channel,
      outside,
      words: 'I use hunter22.',
      outcome: { kind: 'result', text: 'hunter22 works' },
    });
    const hide = {
      args: () => '…',
      text: (_call: unknown, text: string) => text.slice(0, 1),
      isMasked: () => true,
    };
    const seen = toApproval(call, hide);
    assert.deepEqual(
      [seen.arguments, seen.description, seen.outcome, seen.metadata],
      ['…', 'I', { kind: 'result', text: 'h' }, null],
    );
    assert.match(JSON.stringify(toApproval(call)), /hunter22/);
  });
});
