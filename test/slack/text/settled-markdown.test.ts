import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  disarmMentions,
  settledMarkdownPrefix,
  settledTableRows,
} from '../../../src/slack/text/mrkdwn.ts';

const LIVE_MENTION = /<(?:[@#][A-Z0-9]|!(?:channel|here|everyone|subteam|date)\b)/i;
const isPair = (text: string) => /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text);

describe('settled Markdown', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '<!',
      '!channel',
      '<!here>',
      '@U1',
      '<@',
      '<!every',
      'one',
      '|',
      '\n',
      '| a |\n',
      '|---|\n',
      '\u{1F600}',
      '\uD83D',
      '\uDE00',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );

  it('is a prefix of the disarmed text, for every prefix of every text, and mentions nobody', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const whole = disarmMentions(pieces.join(''));
        let text = '';
        let shown = '';
        for (const each of pieces) {
          text += each;
          const settled = settledTableRows(settledMarkdownPrefix(text));
          assert.ok(whole.startsWith(settled));
          assert.ok(settled.startsWith(shown));
          assert.doesNotMatch(settled, LIVE_MENTION);
          assert.ok(!isPair(whole.slice(settled.length - 1, settled.length + 1)));
          shown = settled;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('holds back at most a dozen characters', () => {
    const text = 'a'.repeat(50);
    assert.equal(settledMarkdownPrefix(text), text);
    assert.equal(settledMarkdownPrefix(`${text}<${'b'.repeat(12)}`), `${text}<${'b'.repeat(12)}`);
    assert.equal(settledMarkdownPrefix(`${text}<!chan`), text);
  });

  it('shows a table as soon as it is one, in whole rows', () => {
    const head = 'So:\n\n| a | b |\n|---|---|\n';
    assert.equal(settledTableRows('So:\n\n| a | b |\n|--'), 'So:\n\n');
    assert.equal(settledTableRows(`${head}| 1 |`), head);
    assert.equal(settledTableRows(`${head}| 1 | 2 |\n`), `${head}| 1 | 2 |\n`);
    assert.equal(settledTableRows(`${head}After`), `${head}After`);
    assert.equal(settledTableRows('| x\nno table'), '| x\nno table');
    assert.equal(settledTableRows(''), '');
  });
});
