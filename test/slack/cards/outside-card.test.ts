/** Cards, forms and sentences of calls that programs make. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/call.ts';
import type { Outside } from '../../../src/domain/outside.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/route.ts';
import { channelKey } from '../../../src/domain/thread-key.ts';
import {
  validateMessage,
  validateView,
} from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildStub } from '../../../src/slack/cards/stub.ts';
import { buildFullView } from '../../../src/slack/forms/full-view.ts';
import { buildReplyForm, readReply } from '../../../src/slack/forms/reply-form.ts';
import { buildAskedEntry, buildWaitingEntry } from '../../../src/slack/home/home-entry.ts';
import { toSentence } from '../../../src/slack/sentences.ts';
import { APPROVER, aCall } from '../../support/a-call.ts';
import { TEST_MARK } from '../../support/test-mark.ts';
import { actionIds, dataTexts, outsideData } from '../../support/unrender-card.ts';

const LOOK = { mark: TEST_MARK };
const BOT: Outside = { by: 'key', key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
const APPROVED = { kind: 'approve', by: APPROVER, at: 2_000 } as const;
const REPLIED = { kind: 'reply', by: APPROVER, at: 2_000 } as const;

function theirs(patch: Partial<Call> = {}, outside: Partial<Outside> = {}): Call {
  const thread = channelKey({ team: 'T1', channel: 'C1' });
  return aCall({ thread, askedLine: '', outside: { ...BOT, ...outside }, ...patch });
}

const cardOf = (call: Call) => {
  const card = buildCallCard(call, LOOK);
  assert.deepEqual(validateMessage(card), []);
  return card;
};
const says = (call: Call) => JSON.stringify(outsideData(cardOf(call)));

describe('the card of a program’s call', () => {
  it('says whose key asks, from where and for whom, and whose words those are', () => {
    const card = cardOf(theirs({ words: 'Migration 12.' }));
    const text = JSON.stringify(card.blocks);
    const asker =
      '*Asked by* the program “deploy-bot” (API key, unverified) from `203.0.113.7`, for <@U1> · *risk* medium';
    assert.ok(text.includes(asker), text);
    assert.ok(text.includes('Agent says (unverified) · program “deploy-bot”'));
    assert.ok(dataTexts(card.blocks).includes('Migration 12.'));
    assert.match(card.text, /asked by program “deploy-bot”, for <@U1> · open to review$/);
    assert.ok(says(theirs({}, { by: 'graph' })).includes('the graph “deploy-bot” from'));
    const asks = says(theirs({}, { by: 'server', decisions: ['edit', 'ignore'] }));
    assert.ok(asks.includes('The MCP server `deploy-bot` asks this while its tool'));
  });

  it('shows its notes, its address for callbacks and its schema to nobody, wherever it stands', () => {
    const call = theirs(
      {},
      {
        metadata: { note: 'hidden-note' },
        callbackUrl: 'https://hidden.example/hook',
        schema: { type: 'object', description: 'hidden-schema' },
      },
    );
    const entry = { tool: undefined, mark: TEST_MARK, card: undefined, showsArguments: true };
    const show = { page: 1, tool: undefined, mayApprove: true, mark: TEST_MARK };
    const all = [
      cardOf(call),
      buildFullView(call, { ...show, isReview: true }),
      buildReplyForm(call, { tool: undefined, mark: TEST_MARK }),
      buildWaitingEntry(call, entry),
      buildAskedEntry(call, entry),
    ];
    assert.doesNotMatch(JSON.stringify(all), /hidden/);
  });

  it('says for what it waits: to be decided, to be taken, for a report; and how it ended', () => {
    for (const [patch, outside, state, more] of [
      [{}, {}, 'Waiting for a decision', /The program “deploy-bot” waits for it\./],
      [
        { status: 'approved', verdict: APPROVED },
        {},
        'Approved, waits to be taken',
        /may take it until <!date[^>]+>, once/,
      ],
      [
        { status: 'running', verdict: APPROVED, claim: { fence: 0, at: 3_000 } },
        {},
        'Taken, its report is awaited',
        /has taken it, and may report until/,
      ],
      [
        { status: 'succeeded', outcome: { kind: 'result', text: 'Taken by x.' } },
        { isSilent: true },
        'Taken',
        /does not say what came of it/,
      ],
      [
        { status: 'expired', verdict: APPROVED, outcome: { kind: 'expired' } },
        {},
        'Expired: approved, but not taken in time',
        /Approved by/,
      ],
      [
        { status: 'expired', outcome: { kind: 'expired' } },
        {},
        'Expired: nobody decided in time',
        /Expired/,
      ],
      [{ status: 'unknown' }, {}, 'It is not known whether this ran', /say what you found/],
    ] as const satisfies readonly (readonly [Partial<Call>, Partial<Outside>, string, RegExp])[]) {
      const call = theirs(patch, outside);
      const said = says(call);
      assert.ok(said.includes(`*${state}*`), said);
      assert.match(said, more);
      assert.ok(cardOf(call).text.includes(`: ${state} · asked by`));
      assert.doesNotMatch(said, /Taken by x|Nothing runs until then|about to run/);
    }
    const settled = actionIds(cardOf(theirs({ status: 'unknown' })));
    assert.deepEqual(settled, ['call.settle-ran', 'call.settle-rerun', 'call.settle-leave']);
  });

  it('offers to ask again only where there is an agent of ours to do so', () => {
    const expired = { status: 'expired', outcome: { kind: 'expired' } } as const;
    const offers = (outside: Partial<Outside>) =>
      actionIds(cardOf(theirs(expired, outside))).includes('call.ask-again');
    assert.deepEqual(
      (['key', 'server', 'graph'] as const).map((by) => offers({ by })),
      [false, false, true],
    );
    const stub = buildStub(theirs(expired), { card: undefined, isRefused: false });
    assert.deepEqual(actionIds(stub), []);
  });

  it('leads nowhere where it has no thread, on Home too', () => {
    const call = theirs();
    const look = { tool: undefined, mark: TEST_MARK, showsArguments: false };
    const bare = [
      buildWaitingEntry(call, { ...look, card: undefined }),
      buildAskedEntry(call, { ...look, card: undefined }),
    ];
    assert.doesNotMatch(JSON.stringify(bare), /slack\.com|Open the/);
    assert.match(JSON.stringify(bare), /program “deploy-bot”, for .*by program “deploy-bot”/);
    const card = { channel: 'C1', ts: '1.000001' };
    const linked = JSON.stringify(buildAskedEntry(call, { ...look, card }));
    assert.ok(linked.includes('https://slack.com/archives/C1/p1000001"'), linked);
  });

  it('has answers for those who press: who is told, and how it stands', () => {
    const say = (patch: Partial<Call>, outside: Partial<Outside> = {}) =>
      toSentence({ kind: 'decided', call: theirs(patch, outside) });
    assert.equal(
      say({ status: 'replied', verdict: REPLIED }),
      'Your answer goes to the program “deploy-bot”; `write_file` does not run.',
    );
    const ignored = { status: 'ignored', verdict: { ...REPLIED, kind: 'ignore' } } as const;
    assert.equal(say(ignored), 'You ignored `write_file`; the program “deploy-bot” is told so.');
    const late = (patch: Partial<Call>, outside: Partial<Outside> = {}) =>
      toSentence({ kind: 'already-decided', call: theirs(patch, outside) });
    const approved = { verdict: APPROVED };
    for (const [patch, outside, sentence] of [
      [{ status: 'approved', ...approved }, {}, 'is already approved, and waits to be taken'],
      [{ status: 'running', ...approved }, {}, 'is already approved, and taken'],
      [{ status: 'succeeded', ...approved }, { isSilent: true }, 'was already taken'],
      [{ status: 'expired', ...approved }, {}, 'was approved, but not taken in time.'],
      [{ status: 'expired' }, { decisions: ['reply'] }, 'expired: nobody answered in time.'],
    ] as const satisfies readonly (readonly [Partial<Call>, Partial<Outside>, string])[]) {
      assert.ok(late(patch, outside).includes(`\`write_file\` ${sentence}`), late(patch, outside));
    }
  });
});

const QUESTION: Partial<Outside> = {
  decisions: ['reply'],
  choices: ['Blue', '<!channel> *Approved by* <@U7>', 'Grün \u202eneht'],
};
const asked = (outside: Partial<Outside> = QUESTION) =>
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

describe('a question with answers to choose from', () => {
  it('stands on its card as data, with one button that answers it', () => {
    const card = cardOf(asked());
    assert.deepEqual(actionIds(card), ['call.reply']);
    const data = dataTexts(card.blocks);
    for (const text of ['Which <!here> colour?', 'Blue', '<!channel> *Approved by* <@U7>']) {
      assert.ok(data.includes(text), text);
    }
    assert.ok(data.includes('Grün \\u{202e}neht'));
    const said = says(asked());
    assert.doesNotMatch(said, /<!channel>|<!here>|U7|Nothing runs/);
    assert.match(said, /1 character that can’t be seen/);
    assert.match(said, /\*Waiting for an answer\*/);
    assert.match(said, /\*Answer by\*/);
    assert.doesNotMatch(said, /risk|Decide by/);
    assert.match(card.text, /Waiting for an answer.* · open to answer$/);
    const answered = { ...asked(), status: 'replied', verdict: REPLIED } as const;
    assert.match(says(answered), /\*Answered\* by <@U2>/);
  });

  it('is answered in a form that shows it, by a choice or in words', () => {
    const form = formOf(asked());
    assert.equal(form.title.text, 'Answer the program');
    assert.ok(dataTexts(form.blocks).includes('Which <!here> colour?'));
    const text = JSON.stringify(outsideData(form));
    assert.match(text, /"radio_buttons"/);
    assert.match(text, /Grün \\\\u\{202e\}neht/);
    assert.match(text, /The program “deploy-bot” reads this\./);
    assert.doesNotMatch(JSON.stringify(form), /mrkdwn/);
  });

  it('offers many answers in a list, and long ones by number beside their text', () => {
    const long = `${'a'.repeat(100)} and no more`;
    const choices = [long, ...Array.from({ length: 19 }, (_, i) => `choice ${i}`)];
    const form = formOf(asked({ ...QUESTION, choices }));
    assert.match(JSON.stringify(form), /"static_select"/);
    assert.match(JSON.stringify(form), /"1\. a{71}…"/);
    assert.ok(dataTexts(form.blocks).includes(long));
    const card = cardOf(asked({ ...QUESTION, choices }));
    assert.deepEqual(actionIds(card), ['call.open', 'call.reply']);
  });

  it('takes exactly one answer, and none that was not offered (D16)', () => {
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
      assert.equal(read.kind, 'wrong');
      assert.deepEqual(read.kind === 'wrong' && Object.keys(read.errors), [block]);
    }
  });

  it('is asked in words alone where it offers no answers', () => {
    const form = formOf(asked({ decisions: ['reply'] }));
    assert.doesNotMatch(JSON.stringify(form), /radio|select/);
    assert.match(JSON.stringify(form), /Your answer/);
  });

  it('is reviewed on Home without a word of approving', () => {
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
