/** Cards and forms of questions from programs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { CallOrigin } from '../../../src/domain/calls/call-origin.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';
import {
  validateMessage,
  validateView,
} from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { buildReplyForm, readReply } from '../../../src/slack/forms/draw/reply-form.ts';
import { actionIds, dataTexts, outsideData } from '../../support/app/unrender-card.ts';
import { APPROVER, aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const CONTEXT = { mark: TEST_MARK };
const BOT: CallOrigin = { by: 'key', key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
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

const QUESTION: Partial<CallOrigin> = {
  decisions: ['reply'],
  choices: ['Blue', '<!channel> *Approved by* <@U7>', 'Grün \u202eneht'],
};
const asked = (outside: Partial<CallOrigin> = QUESTION) =>
  theirs(
    {
      tool: 'ask_human',
      args: '{"question":"Which <!here> colour?"}',
      route: { ...REQUESTER_ROUTE, decisions: ['reply'] },
    },
    outside,
  );
const formOf = (call: Call) => {
  const form = buildReplyForm(call, { tool: undefined, mark: TEST_MARK });
  assert.deepEqual(validateView(form), []);
  return form;
};
const fill = (text: string | null, choice?: string) => ({
  choice: { chosen: { selected_option: choice === undefined ? null : { value: choice } } },
  reply: { text: { value: text } },
});

describe('a question with choices', () => {
  it('is shown on its card as data, with its choices', () => {
    const card = cardOf(asked());
    assert.deepEqual(actionIds(card), ['call.choose', 'call.reply', 'call.open']);
    const data = dataTexts(card.blocks);
    for (const text of ['Which <!here> colour?', 'Blue', '<!channel> *Approved by* <@U7>']) {
      assert.ok(data.includes(text), text);
    }
    assert.ok(data.includes('Grün \\u{202e}neht'));
    assert.doesNotMatch(JSON.stringify(card), /"mrkdwn","text":"[^"]*(?:<!channel>|<!here>|U7)/);
    const said = dataOf(asked());
    assert.match(said, /1 invisible character/);
    assert.match(said, /answer by <!date/);
    assert.doesNotMatch(said, /risk|until <!date/);
    assert.equal(card.text, 'Answer? Question from deploy-bot, for <@U1> in <#C1>.');
    const outcome = { kind: 'reply', text: 'Blue', by: APPROVER } as const;
    const answered = { ...asked(), status: 'replied', verdict: REPLIED, outcome } as const;
    assert.match(
      dataOf(answered),
      /\*Question from deploy-bot\* “” · answer: “” · answered by <@U2>/,
    );
    assert.deepEqual(dataTexts(cardOf(answered)), ['Which &lt;!here&gt; colour?', 'Blue']);
  });

  it('is the heading if it is one plain line, and a few short choices are buttons', () => {
    const plain = theirs(
      {
        tool: 'ask_human',
        args: '{"question":"Which colour?"}',
        route: { ...REQUESTER_ROUTE, decisions: ['reply'] },
      },
      { decisions: ['reply'], choices: ['Blue', 'Green'] },
    );
    const card = cardOf(plain);
    assert.deepEqual(actionIds(card), [
      'call.choose-0',
      'call.choose-1',
      'call.reply',
      'call.open',
    ]);
    const [header, next] = card.blocks;
    assert.ok(header?.type === 'header');
    assert.equal(header.text.text, 'deploy-bot asks: Which colour?');
    assert.equal(next?.type, 'actions');
    assert.match(JSON.stringify(card.blocks), /API key, unverified/);
    const six = ['1', '2', '3', '4', '5', '6'];
    const many = cardOf({ ...plain, outside: { ...BOT, decisions: ['reply'], choices: six } });
    assert.equal(actionIds(many)[0], 'call.choose');
    for (const question of [
      'Which\nof\nthem?',
      'Is :ok: fine?',
      `${'x'.repeat(120)}?`,
      '*Approved*',
    ]) {
      const [title] = cardOf({ ...plain, args: JSON.stringify({ question }) }).blocks;
      assert.ok(title?.type === 'header');
      assert.equal(title.text.text, 'Question from deploy-bot');
    }
  });

  it('is answered by a choice or by text, in a form that shows it', () => {
    const form = formOf(asked());
    assert.equal(form.title.text, 'Answer the program');
    assert.ok(dataTexts(form.blocks).includes('Which <!here> colour?'));
    const text = JSON.stringify(outsideData(form));
    assert.match(text, /"radio_buttons"/);
    assert.match(text, /Grün \\\\u\{202e\}neht/);
    assert.match(text, /The program “deploy-bot” reads this\./);
    assert.doesNotMatch(JSON.stringify(form), /mrkdwn/);
  });

  it('offers many choices in a list, and long ones by number beside their text', () => {
    const long = `${'a'.repeat(100)} and no more`;
    const choices = [long, ...Array.from({ length: 19 }, (_, i) => `choice ${i}`)];
    const form = formOf(asked({ ...QUESTION, choices }));
    assert.match(JSON.stringify(form), /"static_select"/);
    assert.match(JSON.stringify(form), /"1\. a{71}…"/);
    assert.ok(dataTexts(form.blocks).includes(long));
    const card = cardOf(asked({ ...QUESTION, choices }));
    assert.deepEqual(actionIds(card), ['call.open', 'call.choose', 'call.reply']);
  });

  it('accepts exactly one answer, and only an offered one (D16)', () => {
    assert.deepEqual(readReply(asked(), fill(null, '0')), { kind: 'choice', place: 0 });
    assert.deepEqual(readReply(asked(), fill('Red', undefined)), { kind: 'text', text: 'Red' });
    assert.deepEqual(readReply(asked(), fill('Red', 'own')), { kind: 'text', text: 'Red' });
    for (const [values, block] of [
      [fill('Red', '0'), 'reply'],
      [fill('  ', undefined), 'reply'],
      [fill(null, 'own'), 'reply'],
      [fill(null, '20'), 'choice'],
      [fill(null, '-1'), 'choice'],
      [fill('Red', '<@U7>'), 'choice'],
    ] as const) {
      const read = readReply(asked(), values);
      assert.equal(read.kind, 'invalid');
      assert.deepEqual(read.kind === 'invalid' && Object.keys(read.errors), [block]);
    }
  });

  it('has only a text field if it offers no choices', () => {
    const form = formOf(asked({ decisions: ['reply'] }));
    assert.doesNotMatch(JSON.stringify(form), /radio|select/);
    assert.match(JSON.stringify(form), /Your answer/);
  });

  it('has a review on Home that does not mention approval', () => {
    const review = buildFullView(asked(), {
      page: 1,
      tool: undefined,
      mayApprove: true,
      mark: TEST_MARK,
      isReview: true,
    });
    assert.deepEqual(validateView(review), []);
    assert.deepEqual(actionIds(review), ['call.reply']);
  });
});
