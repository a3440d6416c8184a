/** What single characters look like, by Unicode's data on confusable characters: https://www.unicode.org/reports/tr39/ */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Each character that looks like others, with the one that stands for all of them. The package's own function is not used: it replaces within ASCII too. */
const PROTOTYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>(require('unhomoglyph/data.json')),
);

/** What is known of a character. */
export interface Character {
  /** Undefined for what all scripts share, e.g. digits. */
  readonly script: string | undefined;
  /** A bit for each of the traits below that it has, and for each script of `MODELS` that can look so. */
  readonly traits: number;
}

/** An ASCII letter or digit. */
export const IS_ASCII = 1;
/** A letter or digit in another dress: wide, raised, joined, or made for mathematics. */
export const IS_STYLED_LETTER = 2;
/** A letter of no living alphabet, or one that looks like another of its script. */
export const IS_ODD = 4;
/** What stands in for ASCII beside ASCII: a sign or stroke that belongs to no alphabet. */
export const IS_ODD_BESIDE_ASCII = 8;
/** A letter with an accent, as it is in no English word. */
export const IS_ACCENTED = 16;

/** Scripts in whose letters a word of another script may be read, the likeliest first. */
export const MODELS: readonly string[] = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
];
const FIRST_MODEL = 32;
/** The traits of all these scripts. */
export const ALL_MODELS = MODELS.reduce((bits, _, i) => bits | (FIRST_MODEL << i), 0);

const LIKE = new Map(MODELS.map((model, i) => [model, FIRST_MODEL << i]));

/** Returns the trait of a character that letters of a script can look like. */
export function modelTraitOf(script: string): number {
  return LIKE.get(script) ?? 0;
}

/** These are written together, and with Latin: https://www.unicode.org/reports/tr39/#Restriction_Level_Detection */
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

/** Looks a character up. */
export function findCharacter(character: string): Character {
  const known = KNOWN.get(character);
  if (known !== undefined) return known;
  const found = inBulk(character) ?? examine(character);
  KNOWN.set(character, found);
  return found;
}

/** Nine of ten letters of Unicode are such, and look like no others. */
function inBulk(character: string): Character | undefined {
  if (PROTOTYPES.has(character)) return undefined;
  if (/^[\u3400-\u4dbf\u4e00-\u9fff\u{20000}-\u{3ffff}]$/u.test(character)) return HAN;
  return /^[\uac00-\ud7a3]$/.test(character) ? HANGUL : undefined;
}

function examine(character: string): Character {
  const script = scriptOf(character);
  return { script, traits: traitsOf(character, script, prototypeFormOf(character)) };
}

/** Signs of ASCII that Unicode writes with others. */
const ASCII_BY_PROTOTYPE = new Map(
  [...PROTOTYPES].flatMap(([character, prototype]) =>
    character < '\x80' && prototype > '\x80' ? [[prototype.normalize('NFD'), character]] : [],
  ),
);

/** Returns how a character looks, written in prototypes; ASCII looks like itself. */
export function prototypeFormOf(character: string): string {
  if (character < '\x80') return character;
  const look = [...character.normalize('NFD')].map(prototypeOf).join('').normalize('NFD');
  return ASCII_BY_PROTOTYPE.get(look) ?? look;
}

function scriptOf(character: string): string | undefined {
  if (!/[\p{L}\p{M}\p{N}]/u.test(character) || UNSCRIPTED.test(character)) return undefined;
  return SCRIPTS.find(([, letters]) => letters.test(character))?.[0] ?? 'other';
}

/** Unicode leaves out what its own compatibility mappings say already. */
function prototypeOf(character: string): string {
  if (character < '\x80') return character;
  const prototype = PROTOTYPES.get(character);
  if (prototype !== undefined) return prototype;
  const plain = character.normalize('NFKD');
  return plain === character ? character : [...plain].map(prototypeOf).join('');
}

/** With or without accents. */
const LATIN_LOOK = /^[!-~\p{M}]*[!-~][!-~\p{M}]*$/u;
/** Strokes through letters, and hooks below them, that Unicode never joins with a letter. */
const OVERLAY = /[\u0321\u0322\u0326-\u0328\u0334-\u0338]/;

function traitsOf(character: string, script: string | undefined, look: string): number {
  if (character < '\x80') return /\w/.test(character) ? asciiTraits(script) : ALL_MODELS;
  const isAccented = script === 'Latin' && /\p{M}/u.test(look);
  return (
    modelsOf(script, look) |
    (isDressed(character) ? IS_STYLED_LETTER : 0) |
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

/** Letters that are written so every day, though Unicode has a decomposition for them. */
const EVERYDAY = /[\u0587\u0e33\u0eb3\u3131-\u318e]/u;

function isDressed(character: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(character) &&
    !EVERYDAY.test(character) &&
    character.normalize('NFKC') !== character.normalize('NFC')
  );
}

/** Letters of their own in northern Europe and France, though they look like two. */
const LIGATURES = /[æœÆŒ]/;
/** Letters that only old books have: in any other text they stand in for those of today. */
const HISTORIC =
  /[\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u03d8-\u03e1\u03f3\u03f7-\u03ff\u0460-\u0489\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/;

function isOddLetter(character: string, script: string | undefined, look: string): boolean {
  if (script === 'Latin') return /^[!-~]+$/.test(look) && !LIGATURES.test(character);
  if (HISTORIC.test(character)) return true;
  // Of Cyrillic letters that look the same the first is the common one; other alphabets need both.
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
/** How the letters of each script look, and the first of those that look so. */
const LOOKS = new Map<string, Map<string, string>>();

function looksOf(script: string): ReadonlyMap<string, string> {
  if (LOOKS.size === 0) collectLooks();
  return LOOKS.get(script) ?? new Map();
}

/** Tells whether letters of a script can look so. */
function canLook(script: string, look: string): boolean {
  if (script === 'Latin') return LATIN_LOOK.test(look);
  const looks = looksOf(script);
  return [...look].every((each) => looks.has(each) || isOwn(script, each) || /\p{M}/u.test(each));
}

/** A letter that stands for others is of one script itself. */
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
