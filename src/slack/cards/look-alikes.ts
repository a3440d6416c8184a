/** What in a text looks like something else: letters of several scripts in one word, imitations of Latin words, hosts that are written otherwise. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { toVisible } from '../../domain/visible-text.ts';

/** One thing to look at closely: the text itself as data, then what is to be said of it. */
export interface LookAlike {
  readonly shown: string;
  readonly says: string;
  /** A second text that is data too, e.g. a host's other spelling. */
  readonly other?: string;
}

/** Finds what a reader may take for something else; each thing once. */
export function findLookAlikes(text: string): readonly LookAlike[] {
  // Nothing below is true of plain ASCII, but for hosts that are written for machines or behind an "@".
  const isPlain = !NOT_ASCII.test(text);
  const found = isPlain
    ? findHosts(text)
    : [...findHosts(text), ...findWords(text), ...findDirections(text)];
  const byText = new Map(found.map((each) => [`${each.shown}\0${each.says}`, each]));
  return [...byText.values()];
}

const NOT_ASCII = /[^\0-\x7f]/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const UNSCRIPTED = /[\p{Script=Common}\p{Script=Inherited}]/u;
const SCRIPTS: readonly (readonly [name: string, letters: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Han', /\p{Script=Han}/u],
  ['Hiragana', /\p{Script=Hiragana}/u],
  ['Katakana', /\p{Script=Katakana}/u],
  ['Bopomofo', /\p{Script=Bopomofo}/u],
  ['Hangul', /\p{Script=Hangul}/u],
];
/** These are written together, and with Latin: https://www.unicode.org/reports/tr39/#Restriction_Level_Detection */
const EAST_ASIAN: ReadonlySet<string> = new Set([
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Hangul',
]);
/** Letters with which Latin words can be imitated whole. */
const IMITATORS: readonly (readonly [script: string, letters: string])[] = [
  ['Cyrillic', 'асԁеһіјӏорѕухѵԛԝАВСЕНІЈКМОРЅТХУҮ'],
  ['Greek', 'ονρυικαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'],
];

function findWords(text: string): readonly LookAlike[] {
  const words = (text.match(WORD) ?? []).filter((word) => NOT_ASCII.test(word));
  const scripts = new Map([...new Set(words.join(''))].map((each) => [each, scriptOf(each)]));
  const strange = words.flatMap((word) => sayScripts(word, scripts) ?? sayDressed(word) ?? []);
  return [...strange, ...findImitations(words, scripts)];
}

function scriptOf(letter: string): string | undefined {
  if (!/\p{L}/u.test(letter) || UNSCRIPTED.test(letter)) return undefined;
  return SCRIPTS.find(([, letters]) => letters.test(letter))?.[0] ?? 'other';
}

function sayScripts(
  word: string,
  known: ReadonlyMap<string, string | undefined>,
): LookAlike | undefined {
  const letters = [...word].map((letter) => ({ letter, script: known.get(letter) }));
  const scripts = [...new Set(letters.flatMap(({ script }) => script ?? []))];
  const foreign = scripts.filter((script) => script !== 'Latin');
  if (scripts.length < 2 || foreign.every((script) => EAST_ASIAN.has(script))) return undefined;
  const odd = letters.filter(({ script }) => script !== undefined && script !== scripts[0]);
  const others = odd.length > letters.length / 2 ? letters.filter((l) => !odd.includes(l)) : odd;
  return {
    shown: shownWord(word),
    says: `has mixed scripts: ${scripts.join(' + ')} in one word (${sayCodes(others.map(({ letter }) => letter))})`,
  };
}

/** Letters made for mathematics, or of full width, that read as plain ones. */
function sayDressed(word: string): LookAlike | undefined {
  const dressed = [...word].filter(
    (letter) =>
      NOT_ASCII.test(letter) &&
      /\p{L}/u.test(letter) &&
      /^[A-Za-z]+$/.test(letter.normalize('NFKC')),
  );
  if (dressed.length === 0) return undefined;
  return {
    shown: shownWord(word),
    says: `has letters that only look like plain ones (${sayCodes(dressed)})`,
  };
}

/** A text of another language has letters that no Latin word has; an imitation has none of them. */
function findImitations(
  words: readonly string[],
  scripts: ReadonlyMap<string, string | undefined>,
): readonly LookAlike[] {
  return IMITATORS.flatMap(([script, imitators]) => {
    const used = [...scripts.keys()].filter((letter) => scripts.get(letter) === script);
    if (used.length === 0 || used.some((letter) => !imitators.includes(letter))) return [];
    const whole = words.filter(
      (word) => [...word].length > 1 && [...word].every((letter) => imitators.includes(letter)),
    );
    return whole.map((word) => ({
      shown: shownWord(word),
      says: `is written in ${script} letters, each of which looks Latin (${sayCodes([...word])})`,
    }));
  });
}

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const BESIDE = /[\p{Script=Latin}\p{Nd}]/u;

function findDirections(text: string): readonly LookAlike[] {
  const isMixed = text.split('\n').some((line) => RIGHT_TO_LEFT.test(line) && BESIDE.test(line));
  if (!isMixed) return [];
  const says =
    'Right-to-left letters stand beside others: their order on the screen may not be that of the text.';
  return [{ shown: '', says }];
}

const AUTHORITY = /\b[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/?#"'<>\\]+)/giu;
const MAILED = /@((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,})/gu;
const CODED = /(?<![\w.-])((?:[a-z0-9-]+\.)*xn--[a-z0-9-]+(?:\.[a-z0-9-]+)*)/gi;

function findHosts(text: string): readonly LookAlike[] {
  const inUrls = [...text.matchAll(AUTHORITY)].flatMap(([, authority = '']) => {
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
    const behind = authority.includes('@')
      ? [{ shown: shownWord(host), says: 'is the host of a URL, behind an “@”' }]
      : [];
    return [...behind, ...sayHost(host)];
  });
  const rest = [...text.matchAll(MAILED), ...text.matchAll(CODED)];
  return [...inUrls, ...rest.flatMap(([, host = '']) => sayHost(host))];
}

function sayHost(host: string): readonly LookAlike[] {
  const isCoded = /(?:^|\.)xn--/i.test(host);
  if (!isCoded && !NOT_ASCII.test(host)) return [];
  const other = isCoded ? domainToUnicode(host) : domainToASCII(host);
  if (other === '' || other === host.toLowerCase()) {
    return [{ shown: shownWord(host), says: 'is no valid host' }];
  }
  const says = isCoded ? 'is a host that people read as' : 'is a host that machines write as';
  return [{ shown: shownWord(host), says, other: shownWord(other) }];
}

const MAX_WORD = 60;

function shownWord(word: string): string {
  const letters = [...word];
  const cut = letters.length > MAX_WORD ? `${letters.slice(0, MAX_WORD).join('')}…` : word;
  return toVisible(cut).text;
}

const MAX_CODES = 6;

function sayCodes(letters: readonly string[]): string {
  const codes = [...new Set(letters)].map(
    (letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const more = codes.length > MAX_CODES ? ' …' : '';
  return `${codes.slice(0, MAX_CODES).join(', ')}${more}`;
}
