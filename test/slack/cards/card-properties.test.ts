/** Properties of every card. Each was tried 10,000 times; a run takes 1 to 3 ms. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import type { Outcome } from '../../../src/domain/calls/outcome.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { fromVisible, toVisible } from '../../../src/domain/text/visible-text.ts';
import {
  validateMessage,
  validateView,
} from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard, type CallCard } from '../../../src/slack/cards/call-card.ts';
import { rowsOf } from '../../../src/slack/cards/values/fit-values.ts';
import { shortenEscapeRuns } from '../../../src/slack/cards/values/shorten-escapes.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { BUDGET, LIMITS } from '../../../src/slack/text/limits.ts';
import {
  actionIds,
  dataTexts,
  outsideData,
  unrenderArgs,
} from '../../support/app/unrender-card.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { randomCases } from '../../support/sample.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const RUNS = { numRuns: randomCases(4_000) };
/** Some objects and lists of objects are shown line by line. */
const INNER = { properties: { path: {}, n: {}, content: {} } };
const NESTED = { ...INNER, items: INNER };
const TOOL = {
  secrets: ['headers.Authorization'],
  schema: { properties: { path: {}, content: {}, headers: NESTED, n: NESTED } },
};
const context = { tool: TOOL, mark: TEST_MARK };

const ODD = [
  '<!channel>',
  '<@U1>',
  '```',
  '*b*',
  '`',
  '<https://a|b>',
  '\u202e',
  ' '.repeat(50),
  '  ',
  ' ',
  '\n',
  '\n\n  ',
  '&lt;',
  '"',
  '\\u{20}',
  '\\',
  '⟨hidden: a secret⟩',
  ' · number',
  'null',
  '\t',
  '😀',
  'раураl',
  'שלום',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => (value === 0 ? 0 : value));
const NAMED = fc.constantFrom('path', 'content', 'n', 'Note', 'Result', 'a b', '', 'x'.repeat(300));
const key = fc.oneof(
  NAMED,
  text.filter((each) => each !== '__proto__'),
);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));
const args = fc.dictionary(fc.oneof(NAMED, key), anyValue, { maxKeys: 4 });

describe('every card', () => {
  it('can be parsed back to the arguments if it shows everything', () => {
    let whole = 0;
    fc.assert(
      fc.property(args, (value) => {
        const call = aCall({ args: canonicalJson(value), askedLine: '' });
        const card = buildCallCard(call, context);
        if (!isInspectable(card)) return;
        whole += 1;
        assert.equal(canonicalJson(unrenderArgs(card.blocks)), call.args);
      }),
      RUNS,
    );
    assert.ok(whole > RUNS.numRuns * 0.6, `only ${whole} cards show everything`);
  });

  it('differs from the card of other arguments, in its digest and in its visible text', () => {
    fc.assert(
      fc.property(args, anyValue, fc.nat(), (value, other, pick) => {
        const before = aCall({ args: canonicalJson(value), askedLine: '' });
        const keys = Object.keys(value);
        const changed = { ...value, [keys[pick % Math.max(1, keys.length)] ?? 'path']: other };
        const after = aCall({ args: canonicalJson(changed), askedLine: '' });
        if (before.args === after.args) return;
        assert.notEqual(before.digest, after.digest);
        const cards = [before, after].map((call) => buildCallCard(call, context));
        const [first, second] = cards.map(({ blocks }) => JSON.stringify(withoutDigests(blocks)));
        if (cards.every(isInspectable)) assert.notEqual(first, second);
        assert.notDeepEqual(cards[0], cards[1]);
      }),
      RUNS,
    );
  });

  it('keeps the agent’s text inside code, and is accepted by Slack in every status', () => {
    fc.assert(
      fc.property(hostileCalls, fc.constantFrom(...STATUSES), (call, [status, outcome]) => {
        const drawn = { ...call, status, ...(outcome && { outcome }) };
        const card = buildCallCard(drawn, context);
        assert.deepEqual(validateMessage(card), []);
        assert.ok(textLength(card.blocks) <= LIMITS.messageCharacters);
        assert.ok(!JSON.stringify(outsideData(card)).includes('§'));
      }),
      RUNS,
    );
  });

  it('shows all mixed invisible characters or asks to open the full call, which shows them, with both ends readable', () => {
    fc.assert(
      fc.property(invisible, (unseen) => {
        const command = `begin${unseen}end`;
        const call = aCall({ args: canonicalJson({ content: command }), askedLine: '' });
        const card = buildCallCard(call, context);
        const [shown = ''] = dataTexts(card.blocks);
        assert.ok(shown.length < 160, shown);
        assert.match(shown, /^begin/);
        const isCut = !shown.endsWith('end');
        const most = BUDGET.argumentRows * BUDGET.cardRow;
        const rows = rowsOf(shortenEscapeRuns(toVisible(command).text, most));
        // Its label takes a row too.
        if (isCut) assert.ok(rows >= BUDGET.argumentRows, `${rows} rows`);
        const isWhole = !isCut && !shown.includes(' invisible characters}');
        assert.equal(isInspectable(card), isWhole);
        if (isInspectable(card)) assert.equal(fromVisible(shown), command);
        assert.equal(fromVisible(readFullView(call)), command);
      }),
      { numRuns: randomCases(2_000) },
    );
  });

  it('has a full view that Slack accepts page by page, with Approve only on the last page', () => {
    fc.assert(
      fc.property(hostileCalls, fc.boolean(), (call, mayApprove) => {
        const show = { tool: TOOL, mark: TEST_MARK, mayApprove };
        for (let page = 1; ; page += 1) {
          const view = buildFullView(call, { ...show, page });
          assert.deepEqual(validateView(view), []);
          assert.ok(!JSON.stringify(outsideData(view)).includes('§'));
          const ids = actionIds(view);
          const isLast = !ids.includes('call.page');
          assert.equal(ids.includes('call.approve'), isLast && mayApprove);
          if (isLast) return;
        }
      }),
      RUNS,
    );
  });
});

const BY = { by: REQUESTER, at: 90_000 } as const;
const STATUSES: readonly (readonly [CallStatus, Outcome?])[] = [
  ['pending'],
  ['approved'],
  ['running'],
  ['succeeded', { kind: 'result', text: `§${'r'.repeat(5_000)}` }],
  ['failed', { kind: 'error', text: '§<!here> *failed*' }],
  ['unknown', { kind: 'unknown', reason: '§it died' }],
  ['replied', { kind: 'reply', text: '§no', by: REQUESTER }],
  ['ignored', { kind: 'ignored', by: REQUESTER }],
  ['expired', { kind: 'expired' }],
  ['withdrawn', { kind: 'withdrawn', cause: 'stop' }],
  ['refused', { kind: 'refused', reason: '§never' }],
];

const long = fc.oneof(
  { weight: 16, arbitrary: text },
  { weight: 1, arbitrary: fc.nat({ max: 3_200 }).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.nat({ max: 200 }).map((lines) => 'line\n'.repeat(lines)) },
);
const marked = long.map((each) => `§${each}§`);
const hostileArgs = fc.dictionary(
  fc.oneof(
    fc.constantFrom('path', 'content', 'headers'),
    marked.filter((each) => each.length < 400),
  ),
  fc.oneof(
    marked,
    fc.array(marked, { maxLength: 3 }),
    fc.dictionary(marked, anyMarked(), { maxKeys: 3 }),
  ),
  { maxKeys: 4 },
);

function anyMarked() {
  return fc.oneof(marked, fc.integer(), fc.constant(null));
}

const hostileCalls = fc
  .record({
    args: hostileArgs.map((value) => canonicalJson(value as JsonValue)),
    proposedArgs: hostileArgs.map((value) => canonicalJson(value as JsonValue)),
    words: marked,
    preview: marked,
    askedLine: marked,
    note: marked,
    isEdited: fc.boolean(),
    votes: fc.array(fc.constant({ by: APPROVER, at: 1 }), { maxLength: 12 }),
  })
  .map(
    ({ isEdited, ...rest }): Call =>
      aCall({
        ...rest,
        ...(isEdited ? { editedBy: APPROVER, attempt: 2 } : {}),
        route: TWO_APPROVERS,
        verdict: { kind: 'approve', ...BY },
      }),
  );

const invisible = fc
  .array(
    fc.constantFrom('\u200b', '\u200d', '\u2060', '\u{e0041}', '\u034f', '\t', '\r', ' ', '\n'),
    {
      maxLength: 900,
      size: 'max',
    },
  )
  .map((characters) => characters.join(''));

/** The data of all pages. */
function readFullView(call: Call): string {
  let all = '';
  for (let page = 1; ; page += 1) {
    const view = buildFullView(call, { tool: TOOL, mark: TEST_MARK, mayApprove: true, page });
    const warned = (each: string) => each !== '\\u{…}';
    all += dataTexts(view).filter(warned).join('');
    if (!actionIds(view).includes('call.page')) return all;
  }
}

function isInspectable(card: CallCard): boolean {
  return actionIds(card.blocks).includes('call.approve');
}

function withoutDigests(value: unknown): unknown {
  return JSON.stringify(value).replace(/`[0-9a-f]{10}`|\.[0-9a-f]{10}"/g, '');
}

function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, each]) =>
      sum + (name === 'text' && typeof each === 'string' ? each.length : textLength(each)),
    0,
  );
}
