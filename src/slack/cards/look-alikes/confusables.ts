/**
 * What single characters look like, from Unicode's confusables data:
 * https://www.unicode.org/reports/tr39/
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/**
 * Maps each confusable character to the prototype of its group. The package's own function is not
 * used, because it also replaces ASCII characters.
 */
const PROTOTYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>(require('unhomoglyph/data.json')),
);

/** The properties of a character. */
export interface Character {
  /** Undefined for characters that all scripts share, e.g. digits. */
  readonly script: string | undefined;
  /**
   * Bits: the traits below, and one for each script of `MODELS` whose letters can look the same.
   */
  readonly traits: number;
}

/** An ASCII letter or digit. */
export const IS_ASCII = 1;
/** A styled letter or digit: wide, raised, joined or mathematical. */
export const IS_STYLED_LETTER = 2;
/** A historic letter, or one that looks like another letter of its script. */
export const IS_ODD = 4;
/** A sign or stroke without a script that imitates ASCII next to ASCII. */
export const IS_ODD_BESIDE_ASCII = 8;
/** A letter with an accent, which English words do not have. */
export const IS_ACCENTED = 16;

/** Scripts that a word can imitate, the most likely first. */
export const MODELS: readonly string[] = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
];
const FIRST_MODEL = 32;
/** The bits of all these scripts. */
export const ALL_MODELS = MODELS.reduce((bits, _, i) => bits | (FIRST_MODEL << i), 0);

const MODEL_TRAITS = new Map(MODELS.map((model, i) => [model, FIRST_MODEL << i]));

/** Returns the bit for a script. */
export function modelTraitOf(script: string): number {
  return MODEL_TRAITS.get(script) ?? 0;
}

/**
 * Scripts that are commonly mixed, also with Latin:
 * https://www.unicode.org/reports/tr39/#Restriction_Level_Detection
 */
export const EAST_ASIAN: ReadonlySet<string> = new Set([
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Hangul',
]);

const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Cherokee'],
  ...['Coptic', 'Lisu', 'Devanagari', 'Bengali', 'Tamil', 'Thai', 'Han', 'Hiragana', 'Katakana'],
  ...['Bopomofo', 'Hangul', 'Ethiopic', 'Canadian_Aboriginal', 'Deseret', 'Osage', 'Gothic'],
  ...['Old_Italic', 'Lycian', 'Lydian', 'Carian', 'Runic', 'Vai', 'Nko', 'Syriac', 'Thaana'],
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const);
const UNSCRIPTED = /[\p{Script=Common}\p{Script=Inherited}]/u;

const KNOWN = new Map<string, Character>();
const HAN: Character = { script: 'Han', traits: 0 };
const HANGUL: Character = { script: 'Hangul', traits: 0 };

/** Returns the properties of a character, cached. */
export function findCharacter(character: string): Character {
  const known = KNOWN.get(character);
  if (known !== undefined) return known;
  const found = classifyByRange(character) ?? classify(character);
  KNOWN.set(character, found);
  return found;
}

/** Most Unicode letters are Han or Hangul and look like no others: skip the slow lookup. */
function classifyByRange(character: string): Character | undefined {
  if (PROTOTYPES.has(character)) return undefined;
  if (/^[\u3400-\u4dbf\u4e00-\u9fff\u{20000}-\u{3ffff}]$/u.test(character)) return HAN;
  return /^[\uac00-\ud7a3]$/.test(character) ? HANGUL : undefined;
}

function classify(character: string): Character {
  const script = scriptOf(character);
  return { script, traits: traitsOf(character, script, prototypeFormOf(character)) };
}

/** ASCII characters whose Unicode prototype is not ASCII. */
const ASCII_BY_PROTOTYPE = new Map(
  [...PROTOTYPES].flatMap(([character, prototype]) =>
    character < '\x80' && prototype > '\x80' ? [[prototype.normalize('NFD'), character]] : [],
  ),
);

/** Returns a character as a sequence of prototypes. ASCII is returned as it is. */
export function prototypeFormOf(character: string): string {
  if (character < '\x80') return character;
  const look = [...character.normalize('NFD')].map(prototypeOf).join('').normalize('NFD');
  return ASCII_BY_PROTOTYPE.get(look) ?? look;
}

function scriptOf(character: string): string | undefined {
  if (!/[\p{L}\p{M}\p{N}]/u.test(character) || UNSCRIPTED.test(character)) return undefined;
  return SCRIPTS.find(([, letters]) => letters.test(character))?.[0] ?? 'other';
}

/** The data omits what Unicode's compatibility mappings already cover. */
function prototypeOf(character: string): string {
  if (character < '\x80') return character;
  const prototype = PROTOTYPES.get(character);
  if (prototype !== undefined) return prototype;
  const plain = character.normalize('NFKD');
  return plain === character ? character : [...plain].map(prototypeOf).join('');
}

/** ASCII, with or without accents. */
const LATIN_LOOK = /^[!-~\p{M}]*[!-~][!-~\p{M}]*$/u;
/** Strokes and hooks, which Unicode normalization never joins with a letter. */
const OVERLAY = /[\u0321\u0322\u0326-\u0328\u0334-\u0338]/;

function traitsOf(character: string, script: string | undefined, look: string): number {
  if (character < '\x80') return /\w/.test(character) ? asciiTraits(script) : ALL_MODELS;
  const isAccented = script === 'Latin' && /\p{M}/u.test(look);
  return (
    modelsOf(script, look) |
    (isStyled(character) ? IS_STYLED_LETTER : 0) |
    (isOddLetter(character, script, look) ? IS_ODD : 0) |
    (isOddBesideAscii(character, script, look) ? IS_ODD_BESIDE_ASCII : 0) |
    (isAccented || MARK.test(character) ? IS_ACCENTED : 0)
  );
}

const MARK = /\p{M}/u;

function isOddBesideAscii(character: string, script: string | undefined, look: string): boolean {
  if (MARK.test(character)) return OVERLAY.test(character) || /[!-~]/.test(look);
  return (script === undefined || EAST_ASIAN.has(script)) && LATIN_LOOK.test(look);
}

function asciiTraits(script: string | undefined): number {
  return IS_ASCII | (script === undefined ? ALL_MODELS : modelTraitOf(script));
}

/** Ordinary letters, although Unicode has a decomposition for them. */
const EVERYDAY = /[\u0587\u0e33\u0eb3\u3131-\u318e]/u;

function isStyled(character: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(character) &&
    !EVERYDAY.test(character) &&
    character.normalize('NFKC') !== character.normalize('NFC')
  );
}

/** Ordinary letters in northern Europe and France, although they look like two. */
const LIGATURES = /[æœÆŒ]/;
/** Historic letters. In modern text they imitate others. */
const HISTORIC =
  /[\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u03d8-\u03e1\u03f3\u03f7-\u03ff\u0460-\u0489\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/;

function isOddLetter(character: string, script: string | undefined, look: string): boolean {
  if (script === 'Latin') return /^[!-~]+$/.test(look) && !LIGATURES.test(character);
  if (HISTORIC.test(character)) return true;
  // Of Cyrillic letters that look the same, the first is the common one. Other alphabets use both.
  return script === 'Cyrillic' && (looksOf(script).get(look) ?? character) < character;
}

function modelsOf(script: string | undefined, look: string): number {
  if (script === undefined) return LATIN_LOOK.test(look) ? ALL_MODELS : ALL_MODELS & ~FIRST_MODEL;
  return MODELS.reduce(
    (bits, model, i) =>
      model === script || canLook(model, look) ? bits | (FIRST_MODEL << i) : bits,
    0,
  );
}

const LAST = '\u{10ffff}';
/** For each script: how its letters look, and the first letter with that look. */
const LOOKS = new Map<string, Map<string, string>>();

function looksOf(script: string): ReadonlyMap<string, string> {
  if (LOOKS.size === 0) collectLooks();
  return LOOKS.get(script) ?? new Map();
}

/** Tells whether letters of a script can have this look. */
function canLook(script: string, look: string): boolean {
  if (script === 'Latin') return LATIN_LOOK.test(look);
  const looks = looksOf(script);
  return [...look].every((each) => looks.has(each) || isOwn(script, each) || /\p{M}/u.test(each));
}

/** A prototype itself also belongs to a script. */
function isOwn(script: string, prototype: string): boolean {
  return SCRIPTS.some(([name, letters]) => name === script && letters.test(prototype));
}

function collectLooks(): void {
  for (const [character, prototype] of PROTOTYPES) {
    if (HISTORIC.test(character)) continue;
    const script = scriptOf(character) ?? '';
    const looks = LOOKS.get(script) ?? new Map<string, string>();
    for (const part of prototype) looks.set(part, looks.get(part) ?? LAST);
    if (character < (looks.get(prototype) ?? LAST)) looks.set(prototype, character);
    LOOKS.set(script, looks);
  }
}
