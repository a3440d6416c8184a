/** What remains of a card after the decision. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  buildCallCard as buildMarkedCard,
  type CardContext,
} from '../../../src/slack/cards/call-card.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { aCall, REQUESTER } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const TOOL = { secrets: [], schema: { properties: { path: {}, content: {} } } };
const buildCallCard = (call: Call, look: Omit<CardContext, 'mark'>) =>
  buildMarkedCard(call, { ...look, mark: TEST_MARK });

const by = { by: REQUESTER, at: 90_000 } as const;
const STATES = {
  running: {
    status: 'running',
    verdict: { kind: 'approve', ...by },
    claim: { fence: 1, at: 91_000 },
  },
  succeeded: {
    status: 'succeeded',
    verdict: { kind: 'approve', ...by },
    outcome: { kind: 'result', text: 'Wrote 5 bytes.' },
  },
  failed: {
    status: 'failed',
    verdict: { kind: 'approve', ...by },
    outcome: { kind: 'error', text: 'No such folder.' },
  },
  replied: {
    status: 'replied',
    verdict: { kind: 'reply', ...by },
    outcome: { kind: 'reply', text: 'Use b.txt.', by: REQUESTER },
  },
  ignored: {
    status: 'ignored',
    verdict: { kind: 'ignore', ...by },
    outcome: { kind: 'ignored', by: REQUESTER },
  },
  withdrawn: { status: 'withdrawn', outcome: { kind: 'withdrawn', cause: 'new-message' } },
  refused: { status: 'refused', outcome: { kind: 'refused', reason: 'Never on Fridays.' } },
} as const satisfies Readonly<Record<string, Partial<Call>>>;

describe('the card of a decided call', () => {
  it('is one section once the call is settled, with a button for the details', () => {
    for (const [status, end] of [
      ['succeeded', 'approved by <@U1>, <!date'],
      ['failed', 'failed · approved by <@U1>, <!date'],
      ['ignored', 'ignored by <@U1>, <!date'],
      ['replied', 'reply: “Use b.txt.” · answered by <@U1>, <!date'],
      ['withdrawn', 'withdrawn: the requester wrote a new message instead'],
      ['refused', 'refused by the policy: “Never on Fridays.”'],
    ] as const) {
      const { blocks } = buildCallCard(aCall({ ...STATES[status], summary: 'Write a.txt' }), {
        tool: TOOL,
      });
      assert.equal(blocks.length, 1);
      const text = JSON.stringify(blocks);
      assert.ok(text.includes(` *Write a.txt* · ${end}`), text);
      assert.match(text, /"accessory":\{"type":"button","action_id":"call.open".*"Details"/);
      // What the model is told is not shown to people.
      assert.doesNotMatch(text, /No such folder|Wrote 5 bytes/);
    }
  });

  it('says “stopped by a person” in place of a failure only if our code reports that', () => {
    const by = (text: string, patch: Partial<Call> = {}) =>
      JSON.stringify(
        buildCallCard(aCall({ status: 'failed', outcome: { kind: 'error', text }, ...patch }), {
          tool: TOOL,
        }).blocks,
      );
    const stopped = 'write_file was stopped by a person while it ran. It may have done part.';
    assert.match(by(stopped), /⏹ .* · stopped while it ran/);
    assert.match(by(`write_file failed: ${stopped}`), /:x: .* · failed/);
    const outside = { by: 'key', name: 'bot' } as const;
    assert.match(by(stopped, { outside }), /:x: .* · failed/);
    const withdrawn = {
      status: 'withdrawn',
      outcome: { kind: 'withdrawn', cause: 'stop' },
    } as const;
    assert.match(by('', withdrawn), /⏹ .* · stopped"/);
  });

  it('shows what a third party’s call was about, and tells two similar calls apart', () => {
    const about = (path: string, patch: Partial<Call> = {}) =>
      JSON.stringify(
        buildCallCard(
          aCall({ ...STATES.succeeded, args: JSON.stringify({ n: 5, path }), ...patch }),
          { tool: TOOL },
        ).blocks,
      );
    const outside = { by: 'key', name: 'bot' } as const;
    const programs = about('a.txt', { outside });
    assert.match(programs, / \*bot: write_file\* “a\.txt” · approved by/);
    // The result of our own tool goes to the model. The report of a program is shown nowhere else.
    assert.match(programs, / · it reports “Wrote 5 bytes\.”"/);
    assert.doesNotMatch(about('a.txt'), /Wrote 5 bytes/);
    assert.notEqual(about('a.txt'), about('b.txt'));
    // Quoted text can't end the quotation, nor be markup.
    assert.match(about('a” · approved by *CEO*'), / “`a\\" · approved by \*CEO\*`” · approved by/);
  });

  it('shows when a running call started, its last progress message and how to stop it', () => {
    const running = aCall({ ...STATES.running, summary: 'Write a.txt' });
    const progress = { text: 'Half of it. <!here> *done*', at: 92_000 };
    const card = buildCallCard(running, { tool: TOOL, progress });
    assert.deepEqual(actionIds(card), ['turn.stop', 'call.open']);
    const text = JSON.stringify(card.blocks);
    assert.match(text, /\*Running\* since <!date\^91\^\{time_secs\}[^>]*> · approved by <@U1>/);
    assert.ok(text.includes('{"type":"text","text":"Half of it. <!here> *done*"}'));
    const elsewhere = { ...REQUESTER_ROUTE, channel: 'C9' };
    const away = buildCallCard({ ...running, route: elsewhere }, { tool: TOOL });
    // That button belongs to the thread's channel.
    assert.deepEqual(actionIds(away), ['call.open']);
  });
});
