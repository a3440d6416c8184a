/** Finds words that imitate others, following https://www.unicode.org/reports/tr39/ */
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

/** A word that may imitate another, and the characters that make it so. */
export interface LookAlikeWord {
  readonly word: string;
  /**
   * `mixed`: letters of several scripts. `styled`: characters that imitate plain ones. `whole`:
   * looks like a word of another script.
   */
  readonly kind: 'mixed' | 'styled' | 'whole';
  /** Its own scripts; for a `whole` word also the script that it looks like. */
  readonly scripts: readonly string[];
  readonly odd: readonly string[];
  /**
   * Whether the words around it are clearly of its own script, so that it is probably no imitation.
   */
  readonly isInContext: boolean;
}

/** More would be slow, and nobody reads that many. */
const MAX_WORDS = 100;

/** Finds words that may imitate others, each once, at most 100. */
export function findLookAlikeWords(text: string): readonly LookAlikeWord[] {
  const words = classifyWords(text);
  const found = new Map<string, LookAlikeWord>();
  for (const [i, word] of words.entries()) {
    if (found.size === MAX_WORDS) break;
    const known = found.get(word.text);
    // One suspicious use of a word is enough.
    if (known?.isInContext === false || isPlain(word)) continue;
    const around = scriptAround(words, i);
    if (known && around === word.script) continue;
    const odd = toLookAlikeWord(word, around);
    if (odd) found.set(word.text, odd);
  }
  return [...found.values()];
}

interface Word {
  readonly text: string;
  /** The script of its first letter that belongs to one. */
  readonly script: string | undefined;
  readonly isMixed: boolean;
  /** The traits that any of its characters has, and those that all have. */
  readonly any: number;
  readonly all: number;
  /** Whether it is in the same sentence as the word before it. */
  readonly sameSentence: boolean;
  /** Its script, if it can't be read in any other. */
  readonly certainScript: string | undefined;
}

const OTHER_LETTER = '[[\\p{L}\\p{M}\\p{N}]--\\p{ASCII}]';
const FIRST = new RegExp(OTHER_LETTER, 'gv');
const REST = /[\p{L}\p{M}\p{N}_]*/uy;
const ASCII_WORD = /\w/;
/** Text allowed between two words of a sentence. Signs of code or data end the sentence. */
const SENTENCE = /^[\w ,.;:!?()«»“”„’…—–-]*$/;
const MAX_BETWEEN = 60;

/**
 * Classifies all words that are not plain ASCII. Starts at their first other character, so that the
 * scan stays linear.
 */
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
    const sameSentence = words.length > 0 && between !== undefined && SENTENCE.test(between);
    end = REST.lastIndex;
    words.push(classifyWord(text.slice(from, end), sameSentence));
    FIRST.lastIndex = end;
  }
  return words;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function classifyWord(text: string, sameSentence: boolean): Word {
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
  return {
    text,
    script,
    isMixed,
    any,
    all,
    sameSentence,
    certainScript: certainScriptOf(script, isMixed, any, all),
  };
}

function areCompatibleScripts(one: string | undefined, other: string | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return true;
  return isAsianOrLatin(one) && isAsianOrLatin(other);
}

function isAsianOrLatin(script: string): boolean {
  return script === 'Latin' || EAST_ASIAN.has(script);
}

/** Returns the traits that count as an imitation in this word. */
function oddTraits({ any }: Word): number {
  return IS_STYLED_LETTER | IS_ODD | (any & IS_ASCII ? IS_ODD_BESIDE_ASCII : 0);
}

/** Tells whether a word can't imitate anything, whatever the words around it. */
function isPlain(word: Word): boolean {
  if (word.isMixed || word.any & oddTraits(word)) return false;
  if (word.script === 'Latin') return true;
  return modelsOf(word) === 0;
}

/**
 * Returns the other scripts that a word can be read in. East Asian words can only imitate ASCII, by
 * a stroke or circle.
 */
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
  return { word: text, kind: 'mixed', scripts, odd: characters, isInContext: false };
}

/** Letters that are common in some languages: Turkish, Kazakh and Mongolian, Chechen. */
const USUAL_SOMEWHERE = /[ıүҮӏӀ]/;

function styledLetterWord(
  { text, script }: Word,
  traits: number,
  around: string | undefined,
): LookAlikeWord {
  const odd = distinct([...text]).filter(
    (each) => each > '\x7f' && findCharacter(each).traits & traits,
  );
  const isInContext = odd.every((each) => USUAL_SOMEWHERE.test(each)) && around === script;
  const scripts = script === undefined ? [] : [script];
  return { word: text, kind: 'styled', scripts, odd, isInContext };
}

/** ASCII itself is never reported, so its imitations are, even among words of their own script. */
function wholeScriptWord(
  word: Word,
  script: string,
  around: string | undefined,
): LookAlikeWord | undefined {
  const models = modelsOf(word);
  const isInContext = around === script;
  const like = MODELS.find((model) => models & modelTraitOf(model) && isExpected(model));
  if (like === undefined) return undefined;
  const odd = distinct([...word.text]).filter((each) => each > '\x7f');
  return { word: word.text, kind: 'whole', scripts: [script, like], odd, isInContext };

  function isExpected(model: string): boolean {
    if (model === 'Latin' || model === around) return true;
    return !isInContext && !(rankOf(model) > rankOf(script));
  }
}

function rankOf(script: string): number {
  const place = MODELS.indexOf(script);
  return place === -1 ? MODELS.length : place;
}

const NEAR = 4;

/** Returns the script that at least two nearby words clearly belong to. */
function scriptAround(words: readonly Word[], at: number): string | undefined {
  let first = at;
  while (first > 0 && at - first < NEAR && words[first]?.sameSentence) first -= 1;
  const seen: string[] = [];
  for (let i = first; i <= at + NEAR; i += 1) {
    const word = words[i];
    if (!word || (i > at && !word.sameSentence)) return undefined;
    if (i === at || word.certainScript === undefined) continue;
    if (seen.includes(word.certainScript)) return word.certainScript;
    seen.push(word.certainScript);
  }
  return undefined;
}

/** Returns a word's script, if it can't be read in any other. */
function certainScriptOf(
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
