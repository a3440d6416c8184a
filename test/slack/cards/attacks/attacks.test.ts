import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { canonicalJson } from '../../../../src/domain/json/json.ts';
import { parseStrictJson } from '../../../../src/domain/json/strict-json.ts';
import { validateMessage } from '../../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../../src/slack/cards/call-card.ts';
import { actionIds, dataTexts, outsideData } from '../../../support/app/unrender-card.ts';
import { aCall } from '../../../support/builders/a-call.ts';
import { TEST_MARK } from '../../../support/test-secret-mark.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { ATTACKS_BY_WORDS } from './attacks-by-words.ts';
import { ATTACKS_OF_LOOKS } from './attacks-of-looks.ts';
import { ATTACKS_OF_PROGRAMS } from './attacks-of-programs.ts';

const FIXTURE = new URL('../../../fixtures/slack/attacks.json', import.meta.url);
const TOOL = {
  secrets: ['apiKey', 'headers.Authorization'],
  schema: {
    properties: {
      path: {},
      content: {},
      text: {},
      command: {},
      url: {},
      n: {},
      apiKey: {},
      headers: {},
    },
  },
};

const ALL = [...ATTACKS, ...ATTACKS_OF_LOOKS, ...ATTACKS_BY_WORDS, ...ATTACKS_OF_PROGRAMS];

const NOTIFICATION =
  /^(?:Answer\? Question from n{80}… \(80 of 300 characters\), for|Approve\? [A-Za-z0-9._\\{}() -]+(?:… \(80 of \d+ characters\))?(?:: write_file, for|\. Asked by(?: helper research \(task 2 of 3\), for)?)) <@U1> in <#C1>\.$/;

function cardOf({ args, call = {}, schema = TOOL.schema }: Attack) {
  const asked = aCall({ args: canonicalJson(args), askedLine: '', ...call });
  return buildCallCard(asked, { tool: { ...TOOL, schema }, mark: TEST_MARK });
}

describe('a card under attack', () => {
  it('has exactly the blocks of the fixture', async () => {
    const cards = Object.fromEntries(
      ALL.map((attack) => [`${attack.source}: ${attack.title}`, cardOf(attack)]),
    );
    assert.equal(Object.keys(cards).length, ALL.length);
    if (process.env.UPDATE_FIXTURES === '1') {
      await writeFile(FIXTURE, `${JSON.stringify(cards, null, 1)}\n`);
    }
    assert.deepEqual(cards, JSON.parse(await readFile(FIXTURE, 'utf8')));
  });

  for (const attack of ALL) {
    it(`(${attack.source}) says what is there: ${attack.title}`, () => {
      const card = cardOf(attack);
      assert.deepEqual(validateMessage(card), []);
      const { approvable, first = approvable ? 'call.approve' : 'call.open' } = attack;
      assert.equal(actionIds(card)[0], first);
      const data = dataTexts(card.blocks);
      for (const text of attack.data ?? []) {
        assert.ok(data.includes(text), `${text}\n${data.join('\n')}`);
      }
      const ours = JSON.stringify(outsideData(card));
      for (const text of attack.says ?? []) {
        assert.ok(ours.includes(JSON.stringify(text).slice(1, -1)), `${text}\n${ours}`);
      }
      assert.doesNotMatch(ours, /evil\.example|<!(?!date)|<@(?!U[12]>)|PRE-APPROVED|Approved by/);
      // What a locked phone shows.
      assert.match(card.text, NOTIFICATION);
      assert.doesNotMatch(JSON.stringify(card), /k-000111|test-not-real|xoxb-not/);
    });
  }

  it('is not even drawn of arguments that would be read otherwise than they were written (D12, 41, 43)', () => {
    for (const [text, reason] of [
      ['{"to":"a@x","to":"b@x"}', /appears twice/],
      ['{"n":1e400}', /would lose digits/],
      ['{"ticket":2512292042121000001}', /would lose digits/],
      ['{"n":9007199254740993}', /would lose digits/],
      ['{"s":"\\ud800"}', /lone surrogate/],
      ['{"__proto__":{"a":1}}', /__proto__/],
      [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, /32 levels/],
      [JSON.stringify({ a: 'x'.repeat(262_144) }), /256 KB/],
      ['{"cmd":"rm -rf /srv/tm', /cut off/],
    ] as const) {
      const read = parseStrictJson(text);
      assert.ok(!read.ok && reason.test(read.reason), text.slice(0, 60));
    }
  });
});
