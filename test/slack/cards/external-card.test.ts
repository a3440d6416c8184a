/** Cards, forms and sentences of external calls. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { CallOrigin } from '../../../src/domain/calls/call-origin.ts';
import { toWaitingEntry } from '../../../src/domain/cards/call-list-entry.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildStub } from '../../../src/slack/cards/stub.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { buildReplyForm } from '../../../src/slack/forms/draw/reply-form.ts';
import { buildWaitingEntry } from '../../../src/slack/home/waiting-entry.ts';
import { outcomeSentence } from '../../../src/slack/text/outcome-sentences.ts';
import { actionIds, dataTexts, outsideData } from '../../support/app/unrender-card.ts';
import { APPROVER, aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const CONTEXT = { mark: TEST_MARK };
const BOT: CallOrigin = { by: 'key', key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
const APPROVED = { kind: 'approve', by: APPROVER, at: 2_000 } as const;
const REPLIED = { kind: 'reply', by: APPROVER, at: 2_000 } as const;

function theirs(patch: Partial<Call> = {}, outside: Partial<CallOrigin> = {}): Call {
  const thread = channelKey({ team: 'T1', channel: 'C1' });
  return aCall({ thread, askedLine: '', outside: { ...BOT, ...outside }, ...patch });
}

const cardOf = (call: Call) => {
  const card = buildCallCard(call, CONTEXT);
  assert.deepEqual(validateMessage(card), []);
  return card;
};
const dataOf = (call: Call) => JSON.stringify(outsideData(cardOf(call)));

describe('the card of a program’s call', () => {
  it('names the key that asks, its origin and its requester, and who wrote those texts', () => {
    const card = cardOf(theirs({ words: 'Migration 12.' }));
    const text = JSON.stringify(card.blocks);
    const asker =
      'Asked by the program “deploy-bot” (API key, unverified) from `203.0.113.7`, for <@U1>';
    assert.ok(text.includes(asker), text);
    assert.ok(text.includes('Agent says (unverified) · program “deploy-bot”'));
    assert.ok(dataTexts(card.blocks).includes('Migration 12.'));
    assert.match(card.text, /^Approve\? deploy-bot: write_file, for <@U1> in <#C1>\.$/);
    assert.ok(dataOf(theirs({}, { by: 'graph' })).includes('the graph “deploy-bot” from'));
    const asks = dataOf(theirs({}, { by: 'server', decisions: ['edit', 'ignore'] }));
    assert.ok(asks.includes('The MCP server `deploy-bot` asks this while its tool'));
  });

  it('never shows its notes, callback address or schema', () => {
    const call = theirs(
      {},
      {
        metadata: { note: 'hidden-note' },
        callbackUrl: 'https://hidden.example/hook',
        schema: { type: 'object', description: 'hidden-schema' },
      },
    );
    const show = { page: 1, tool: undefined, mayApprove: true, mark: TEST_MARK };
    const all = [
      cardOf(call),
      buildFullView(call, { ...show, isReview: true }),
      buildReplyForm(call, { tool: undefined, mark: TEST_MARK }),
      buildWaitingEntry(toWaitingEntry(call, {})),
    ];
    assert.doesNotMatch(JSON.stringify(all), /hidden/);
  });

  it('says whether it waits to be picked up or for a report, and how it ended', () => {
    for (const [patch, outside, state, more] of [
      [
        { status: 'approved', verdict: APPROVED },
        {},
        'Approved, waiting for pickup',
        /can pick it up until <!date[^>]+>, one time only\./,
      ],
      [
        { status: 'running', verdict: APPROVED, claim: { fence: 0, at: 3_000 } },
        {},
        'Picked up, waiting for the result',
        /picked it up and can report the result until/,
      ],
      [
        { status: 'succeeded', outcome: { kind: 'result', text: 'Taken by x.' } },
        { isSilent: true },
        'Picked up',
        /doesn’t report results/,
      ],
      [
        { status: 'expired', verdict: APPROVED, outcome: { kind: 'expired' } },
        {},
        'Expired: approved, but not picked up in time',
        /approved by/,
      ],
      [
        { status: 'expired', outcome: { kind: 'expired' } },
        {},
        'Expired: nobody decided in time',
        /expired: nobody/,
      ],
      [{ status: 'unknown' }, {}, 'This may have run', /check whether it ran/],
    ] as const satisfies readonly (readonly [
      Partial<Call>,
      Partial<CallOrigin>,
      string,
      RegExp,
    ])[]) {
      const call = theirs(patch, outside);
      const said = dataOf(call);
      assert.ok(said.toLowerCase().includes(state.toLowerCase()), said);
      assert.match(said, more);
      assert.ok(cardOf(call).text.includes(`deploy-bot: write_file: ${state}.`));
      assert.doesNotMatch(said, /Taken by x|Nothing runs until then|about to run/);
    }
    const settled = actionIds(cardOf(theirs({ status: 'unknown' })));
    assert.deepEqual(settled, [
      'call.settle-ran',
      'call.settle-rerun',
      'call.settle-leave',
      'call.open',
    ]);
  });

  it('offers to ask again only if our agent made the call', () => {
    const expired = { status: 'expired', outcome: { kind: 'expired' } } as const;
    const offers = (outside: Partial<CallOrigin>) =>
      actionIds(cardOf(theirs(expired, outside))).includes('call.ask-again');
    assert.deepEqual(
      (['key', 'server', 'graph'] as const).map((by) => offers({ by })),
      [false, false, true],
    );
    const stub = buildStub(theirs(expired), { card: undefined, isRefused: false });
    assert.deepEqual(actionIds(stub), []);
  });

  it('has no link if it has no thread, on Home too', () => {
    const call = theirs();
    const line = toWaitingEntry(call, {});
    const bare = JSON.stringify(buildWaitingEntry(line));
    assert.doesNotMatch(bare, /slack\.com|Thread/);
    assert.match(bare, /deploy-bot: /);
    const place = { channel: 'C1', ts: '1.000001' };
    const linked = JSON.stringify(buildWaitingEntry({ ...line, place, isCard: true }));
    assert.ok(linked.includes('https://slack.com/archives/C1/p1000001"'), linked);
  });

  it('answers clicks with who is told and the status of the call', () => {
    const answerTo = (patch: Partial<Call>, outside: Partial<CallOrigin> = {}) =>
      outcomeSentence({ kind: 'decided', call: theirs(patch, outside) });
    assert.equal(
      answerTo({ status: 'replied', verdict: REPLIED }),
      'Your answer goes to the program “deploy-bot”; *deploy-bot: write_file* does not run.',
    );
    const ignored = { status: 'ignored', verdict: { ...REPLIED, kind: 'ignore' } } as const;
    assert.equal(
      answerTo(ignored),
      'You ignored *deploy-bot: write_file*; the program “deploy-bot” is notified.',
    );
    const late = (patch: Partial<Call>, outside: Partial<CallOrigin> = {}) =>
      outcomeSentence({ kind: 'already-decided', call: theirs(patch, outside) });
    const approved = { verdict: APPROVED };
    for (const [patch, outside, sentence] of [
      [{ status: 'approved', ...approved }, {}, 'is already approved and waiting for pickup'],
      [{ status: 'running', ...approved }, {}, 'is already approved and picked up'],
      [{ status: 'succeeded', ...approved }, { isSilent: true }, 'was already picked up'],
      [{ status: 'expired', ...approved }, {}, 'was approved, but not picked up in time.'],
      [{ status: 'expired' }, { decisions: ['reply'] }, 'expired: nobody answered in time.'],
    ] as const satisfies readonly (readonly [Partial<Call>, Partial<CallOrigin>, string])[]) {
      assert.ok(
        late(patch, outside).includes(`*deploy-bot: write_file* ${sentence}`),
        late(patch, outside),
      );
    }
  });
});
