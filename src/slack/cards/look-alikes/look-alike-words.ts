/** Words that a reader may take for others, judged word by word after https://www.unicode.org/reports/tr39/ */
import {
  ALL_MODELS,
  EAST_ASIAN,
  findCharacter,
  IS_ACCENTED,
  IS_ASCII,
  IS_ODD,
  IS_ODD_BESIDE_ASCII,
  IS_STYLED_LETTER,
  MODELS,
  modelTraitOf,
} from './confusables.ts';

/** A word that could be taken for another one, and by which of its characters. */
export interface LookAlikeWord {
  readonly word: string;
  /** `mixed`: of several scripts; `dressed`: with characters that stand in for plain ones; `whole`: all of it looks like a word of another script. */
  readonly kind: 'mixed' | 'dressed' | 'whole';
  /** Its own scripts, and for a `whole` one then the script that it looks like. */
  readonly scripts: readonly string[];
  readonly odd: readonly string[];
  /** Whether it stands among words that can only be of its own script, so that it is most likely no imitation. */
  readonly isAmongIts: boolean;
}

/** One can look at no more, and each takes its time. */
const MAX_WORDS = 100;

/** Finds words that could be taken for others; each once, and of very many only the first. */
export function findLookAlikeWords(text: string): readonly LookAlikeWord[] {
  const words = classifyWords(text);
  const found = new Map<string, LookAlikeWord>();
  for (const [i, word] of words.entries()) {
    if (found.size === MAX_WORDS) break;
    const known = found.get(word.text);
    // Where it once stands alone, that counts.
    if (known?.isAmongIts === false || isPlain(word)) continue;
    const around = scriptAround(words, i);
    if (known && around === word.script) continue;
    const odd = toLookAlikeWord(word, around);
    if (odd) found.set(word.text, odd);
  }
  return [...found.values()];
}

interface Word {
  readonly text: string;
  /** The script of its first letter that has one. */
  readonly script: string | undefined;
  readonly isMixed: boolean;
  /** The traits that any, and that all of its characters have. */
  readonly any: number;
  readonly all: number;
  /** Whether it stands in one sentence with the word before it. */
  readonly goesOn: boolean;
  /** The only script that it can be of by its looks. */
  readonly sure: string | undefined;
}

const OTHER_LETTER = '[[\\p{L}\\p{M}\\p{N}]--\\p{ASCII}]';
const FIRST = new RegExp(OTHER_LETTER, 'gv');
const REST = /[\p{L}\p{M}\p{N}_]*/uy;
const ASCII_WORD = /\w/;
/** What stands between the words of a sentence: other words too, but no sign of a program or of data. */
const SENTENCE = /^[\w ,.;:!?()«»“”„’…—–-]*$/;
const MAX_BETWEEN = 60;

/** Judges the words that are not ASCII alone: each is found by its first other character, so that nothing is walked through twice. */
function classifyWords(text: string): readonly Word[] {
  const words: Word[] = [];
  let end = 0;
  FIRST.lastIndex = 0;
  while (FIRST.test(text)) {
    let from = FIRST.lastIndex - (isLowSurrogate(text, FIRST.lastIndex - 1) ? 2 : 1);
    while (from > end && ASCII_WORD.test(text.charAt(from - 1))) from -= 1;
    REST.lastIndex = FIRST.lastIndex;
    REST.test(text);
    const between = from - end > MAX_BETWEEN ? undefined : text.slice(end, from);
    const goesOn = words.length > 0 && between !== undefined && SENTENCE.test(between);
    end = REST.lastIndex;
    words.push(classifyWord(text.slice(from, end), goesOn));
    FIRST.lastIndex = end;
  }
  return words;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function classifyWord(text: string, goesOn: boolean): Word {
  let script: string | undefined;
  let isMixed = false;
  let any = 0;
  let all = -1;
  for (const each of text) {
    const found = findCharacter(each);
    any |= found.traits;
    all &= found.traits;
    isMixed ||= !areCompatibleScripts(script, found.script);
    script ??= found.script;
  }
  return { text, script, isMixed, any, all, goesOn, sure: sureOf(script, isMixed, any, all) };
}

function areCompatibleScripts(one: string | undefined, other: string | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return true;
  return isAsianOrLatin(one) && isAsianOrLatin(other);
}

function isAsianOrLatin(script: string): boolean {
  return script === 'Latin' || EAST_ASIAN.has(script);
}

/** The traits by which characters stand in for plain ones in a word. */
function oddTraits({ any }: Word): number {
  return IS_STYLED_LETTER | IS_ODD | (any & IS_ASCII ? IS_ODD_BESIDE_ASCII : 0);
}

/** Tells whether a word can be nothing but what it seems to be, wherever it stands. */
function isPlain(word: Word): boolean {
  if (word.isMixed || word.any & oddTraits(word)) return false;
  if (word.script === 'Latin') return true;
  return modelsOf(word) === 0;
}

/** The scripts besides its own of which a word can be by its looks. Nobody takes a word of East Asia for one of another alphabet but a stroke or circle for ASCII. */
function modelsOf({ script = '', all }: Pick<Word, 'script' | 'all'>): number {
  const models = EAST_ASIAN.has(script) ? modelTraitOf('Latin') : ALL_MODELS;
  return all & models & ~modelTraitOf(script);
}

function toLookAlikeWord(word: Word, around: string | undefined): LookAlikeWord | undefined {
  if (word.isMixed) return mixedScriptWord(word);
  const odd = word.any & oddTraits(word);
  if (odd !== 0) return styledLetterWord(word, odd, around);
  if (word.script !== undefined) return wholeScriptWord(word, word.script, around);
  return word.all & modelTraitOf('Latin') ? styledLetterWord(word, -1, around) : undefined;
}

function mixedScriptWord({ text }: Word): LookAlikeWord {
  const letters = [...text].flatMap((letter) => {
    const { script } = findCharacter(letter);
    return script === undefined ? [] : [{ letter, script }];
  });
  const scripts = distinct(letters.map(({ script }) => script));
  const odd = letters.filter(({ script }) => script !== scripts[0]);
  const isMost = odd.length > letters.length / 2;
  const named = isMost ? letters.filter(({ script }) => script === scripts[0]) : odd;
  const characters = distinct(named.map(({ letter }) => letter));
  return { word: text, kind: 'mixed', scripts, odd: characters, isAmongIts: false };
}

/** Letters that some languages have in every other word: Turkish, Kazakh and Mongolian, Chechen. */
const USUAL_SOMEWHERE = /[ıүҮӏӀ]/;

function styledLetterWord(
  { text, script }: Word,
  traits: number,
  around: string | undefined,
): LookAlikeWord {
  const odd = distinct([...text]).filter(
    (each) => each > '\x7f' && findCharacter(each).traits & traits,
  );
  const isAmongIts = odd.every((each) => USUAL_SOMEWHERE.test(each)) && around === script;
  const scripts = script === undefined ? [] : [script];
  return { word: text, kind: 'dressed', scripts, odd, isAmongIts };
}

/** ASCII is never said to be odd: so what looks like it is, even among words of its own script. */
function wholeScriptWord(
  word: Word,
  script: string,
  around: string | undefined,
): LookAlikeWord | undefined {
  const models = modelsOf(word);
  const isAmongIts = around === script;
  const like = MODELS.find((model) => models & modelTraitOf(model) && isExpected(model));
  if (like === undefined) return undefined;
  const odd = distinct([...word.text]).filter((each) => each > '\x7f');
  return { word: word.text, kind: 'whole', scripts: [script, like], odd, isAmongIts };

  function isExpected(model: string): boolean {
    if (model === 'Latin' || model === around) return true;
    return !isAmongIts && !(placeOf(model) > placeOf(script));
  }
}

function placeOf(script: string): number {
  const place = MODELS.indexOf(script);
  return place === -1 ? MODELS.length : place;
}

const NEAR = 4;

/** Returns the script that at least two of the words next to a word can only be of. */
function scriptAround(words: readonly Word[], at: number): string | undefined {
  let first = at;
  while (first > 0 && at - first < NEAR && words[first]?.goesOn) first -= 1;
  const seen: string[] = [];
  for (let i = first; i <= at + NEAR; i += 1) {
    const word = words[i];
    if (!word || (i > at && !word.goesOn)) return undefined;
    if (i === at || word.sure === undefined) continue;
    if (seen.includes(word.sure)) return word.sure;
    seen.push(word.sure);
  }
  return undefined;
}

/** The only script that a word can be of by its looks. */
function sureOf(
  script: string | undefined,
  isMixed: boolean,
  any: number,
  all: number,
): string | undefined {
  if (script === undefined || isMixed || any & (IS_STYLED_LETTER | IS_ODD)) return undefined;
  if (script === 'Latin') return any & IS_ACCENTED ? script : undefined;
  return all & ALL_MODELS & ~modelTraitOf(script) ? undefined : script;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
