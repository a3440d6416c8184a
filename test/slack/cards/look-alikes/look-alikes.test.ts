import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toVisible } from '../../../../src/domain/text/visible-text.ts';
import { prototypeFormOf } from '../../../../src/slack/cards/look-alikes/confusables.ts';
import { findLookAlikes } from '../../../../src/slack/cards/look-alikes/look-alikes.ts';
import { randomCases } from '../../../support/sample.ts';

const warned = (text: string) =>
  findLookAlikes(text).flatMap(({ shown, isUsual }) => (isUsual ? [] : [shown]));
const named = (text: string) => findLookAlikes(text).map(({ shown }) => shown);

/** Texts that imitate others, with what is marked in them. */
const IMITATIONS: readonly (readonly [what: string, text: string, marked: readonly string[]])[] = [
  ['mathematical digits', 'pay 𝟷𝟶𝟶 euros', ['𝟷𝟶𝟶']],
  ['a word in Lisu', 'ꓐꓰꓡꓡ', ['ꓐꓰꓡꓡ']],
  ['a word in Cherokee', 'send to ᎪᏢᏢ', ['ᎪᏢᏢ']],
  ['Latin letters of phonetics', 'ɡo to ɑ place', ['ɡo', 'ɑ']],
  ['a letter without its dot', 'admın', ['admın']],
  ['a fraction slash', 'cat ⁄etc', ['⁄']],
  ['a division slash', 'rm -r ∕', ['∕']],
  ['a leader dot', 'bank․example', ['․']],
  ['a letter colon', 'http꞉//x', ['꞉']],
  ['a true Cyrillic word beside an imitation', 'сору файл', ['сору']],
  ['a Cyrillic word alone', 'раураӏ', ['раураӏ']],
  ['a Cyrillic word that is a name too', 'Егор', ['Егор']],
  ['a Greek word that reads as a Cyrillic one', 'και', ['και']],
  ['wide letters', 'ｒｍ －rf', ['ｒｍ', '－']],
  ['a ligature', 'ﬁle', ['ﬁle']],
  ['raised digits', 'x²', ['x²']],
  ['a Roman numeral', 'part Ⅳ', ['Ⅳ']],
  ['a digit of Bengali among ASCII', 'a০', ['a০']],
  ['a stroke through a letter', 'l̸og', ['l̸og']],
  ['a dash of prose as an option', 'rm –rf', ['–']],
  ['quotation marks of prose around a command', 'echo ‘$(id)’', ['‘']],
  ['two scripts in one word', 'pаypal', ['pаypal']],
];

/** Honest texts, with the words that are named without a warning. */
const HONEST: readonly (readonly [language: string, text: string, usual: readonly string[]])[] = [
  [
    'Russian',
    'Не трогать файл с отчётом, пока его не проверит начальник: все данные о клиентах здесь.',
    ['Не', 'с', 'его', 'о'],
  ],
  ['Ukrainian', 'Україна і її люди: пʼять днів тому ми були тут', ['і', 'її']],
  ['Greek', 'Το αρχείο και η αναφορά είναι έτοιμα για τον πελάτη', ['Το', 'η', 'για']],
  ['Japanese', '明日の会議の資料を共有します（参考：APIログ）。「はい」！', []],
  ['Chinese', '请把文件发给客户；谢谢！', []],
  ['Korean', '안녕하세요 ㅋㅋㅋ, 회의 자료입니다.', []],
  ['Arabic', 'التقرير لعام ٢٠٢٥ جاهز، هل راجعته؟', []],
  ['Hebrew', 'שלום־עולם, זה מסמך חשוב', []],
  ['Hindi', 'यह पाठ हिन्दी में है।', []],
  ['Thai', 'ภาษาไทย ทำงาน', []],
  ['Armenian', 'Հայերեն լեզու և գիր։', []],
  ['Kazakh', 'Бүгін күн жылы, түнде жаңбыр жауады', ['Бүгін', 'күн', 'түнде']],
  ['accented Latin', 'Přijďte zítra, naïve façade; Ærø, łódź, Þór, Việt Nam, cœur', []],
  ['Turkish', 'Yarın için müdür şubeyi çağırdı', ['Yarın', 'çağırdı']],
  ['typeset English', 'It’s “fine” – really… 10–20 of 5 × 3', []],
  ['emoji', 'Done 👍🏽 👩‍👩‍👧 ☺️ 1️⃣ 🇩🇪', []],
  ['JSON', '{"path": "notes/todo.md", "lines": [1, 2], "ok": true}', []],
];

describe('look-alikes', () => {
  for (const [what, text, marked] of IMITATIONS) {
    it(`get a warning: ${what}`, () => assert.deepEqual(warned(text), marked));
  }

  for (const [language, text, usual] of HONEST) {
    it(`cause no warning in honest ${language}`, () => {
      const isMixedDirection = ['Arabic', 'Hebrew'].includes(language);
      assert.deepEqual(
        warned(text).filter((shown) => shown !== ''),
        [],
      );
      assert.ok(isMixedDirection || !warned(text).includes(''));
      assert.deepEqual(
        named(text).filter((shown) => shown !== ''),
        usual,
      );
      assert.equal(toVisible(text).hidden, 0);
    });
  }

  it('are named once, and as an imitation if any occurrence is one', () => {
    const text = 'файл о проекте и о людях\n{"x": "о"}';
    assert.deepEqual(
      findLookAlikes('файл о проекте и о людях').map((each) => each.isUsual),
      [true],
    );
    assert.deepEqual(warned(text), ['о']);
  });

  it('are marked in at least one of two texts that look the same', () => {
    const differ = ([before, after]: readonly [string, string]) => {
      if (before === after) return;
      const [first, second] = [before, after].map((text) => skeleton(toVisible(text).text));
      const isMarked = [before, after].some((text) => findLookAlikes(text).length > 0);
      assert.ok(first !== second || isMarked, `${before}\n${after}`);
    };
    fc.assert(fc.property(pairs, differ), { numRuns: randomCases(4_000) });
  });

  it('are found in linear time in a long text', () => {
    const unit = 'Не трогать файл, пока его нет: pаypal 𝟷𝟶 — да. ';
    const times = [1, 4].map((size) => {
      const text = unit.repeat(size * 1_500);
      findLookAlikes(text);
      const before = process.cpuUsage();
      findLookAlikes(text);
      return process.cpuUsage(before).user;
    });
    const [short = 0, long = 0] = times;
    assert.ok(long < 20 * Math.max(short, 2_000), `${short} and ${long} µs`);
  });
});

const DATA: Readonly<Record<string, string>> = createRequire(import.meta.url)(
  'unhomoglyph/data.json',
);

/** The list of Unicode, which also has pairs within ASCII. */
function skeleton(text: string): string {
  return [...text]
    .map((each) => [...prototypeFormOf(each)].map((one) => DATA[one] ?? one).join(''))
    .join('');
}

/** The look-alikes of each character. Left out are pairs that fonts tell apart, as within ASCII: quotation marks and dashes of prose, and two letters of one Greek word. */
const STAND_INS = Object.entries(DATA).reduce((all, [character, look]) => {
  if (/^[\0-\x7f]|[\p{C}\p{Z}‘’“”„‚‛–…σ]/u.test(character)) return all;
  return all.set(look, [...(all.get(look) ?? []), character]);
}, new Map<string, string[]>());

const texts = fc.oneof(
  fc.constantFrom(
    ...['rm -rf ./tmp/cache', 'copy secret.txt', 'pay 100 to alice', 'https://bank.example/a:b'],
    ...[
      'Не трогать файл с отчётом',
      'Все файлы о клиентах',
      'Το αρχείο και η αναφορά',
      'про счета',
    ],
    ...['{"to": "bob", "n": 10}', 'naïve café', 'a;b', 'Kelvin'],
  ),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }),
);

/** A text and an imitation of it, in which look-alikes replace some characters. */
const pairs = fc
  .tuple(texts, fc.array(fc.option(fc.nat(), { freq: 2 }), { minLength: 40, maxLength: 40 }))
  .map(([text, picks]): [string, string] => {
    const imitated = [...text].map((each, i) => {
      const pick = picks[i % picks.length];
      const look = skeleton(each);
      const others = [each, ...(STAND_INS.get(look) ?? []), each.normalize('NFD')];
      return pick === null || pick === undefined ? each : (others[pick % others.length] ?? each);
    });
    return [text, imitated.join('')];
  });
