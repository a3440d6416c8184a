/**
 * Text in which everything is visible. Characters that can't be plainly seen are shown as `\u{…}`.
 * So are those that Unicode treats as equal to others, e.g. a mark apart from its letter. The
 * mapping is reversible: `\u{` itself is shown as `\u{5c}u{`.
 */
import {
  EMOJI,
  isEmoji,
  isHidden,
  isJoining,
  isLetter,
  isLowSurrogate,
  isMark,
  sizeAt,
} from './characters.ts';

/** A fully visible text, and how many characters had to be escaped. */
export interface VisibleText {
  readonly text: string;
  readonly hidden: number;
}

const MAX_SPACES = 8;
const MAX_INDENT = 32;
/** More empty lines would push the text below out of sight. */
const MAX_BREAKS = 8;
/** More marks on one letter would cover its neighbours. */
const MAX_MARKS = 4;

/** Escapes every character that can't be seen. Line breaks and emoji stay. */
export function toVisible(text: string): VisibleText {
  const isNormal = text.normalize('NFC') === text;
  let shown = '';
  let hidden = 0;
  /** Everything before this index is in `shown` already. */
  let from = 0;
  /** Number of marks directly before `at`. */
  let marks = 0;
  for (let at = 0; at < text.length; ) {
    const end = endOfLetters(text, at, isNormal);
    if (end > at) {
      at = end;
      marks = 0;
      continue;
    }
    const { size, shownAs, counts = true } = pieceAt(text, at, marks, isNormal);
    marks = marksAfter(text, at, size, marks);
    if (shownAs !== undefined) {
      shown += text.slice(from, at) + shownAs;
      from = at + size;
      hidden += counts ? charactersIn(text, at, size) : 0;
    }
    at += size;
  }
  return { text: shown + text.slice(from), hidden };
}

/** Fast path: most of a text is letters that need no escape. */
function endOfLetters(text: string, from: number, isNormal: boolean): number {
  let at = from;
  while (isLetter(text, at) && (isNormal || text.charCodeAt(at) < 0x80) && !isKeyCap(text, at)) {
    at += sizeAt(text, at);
  }
  return at;
}

/** The next part of a text. */
interface Piece {
  /** In code units. */
  readonly size: number;
  /** Replacement text; undefined if it stays as it is. */
  readonly shownAs?: string | undefined;
  /** Whether it counts as escaped. (Default: true.) */
  readonly counts?: boolean;
}

function pieceAt(text: string, at: number, marks: number, isNormal: boolean): Piece {
  switch (text.charCodeAt(at)) {
    case SPACE:
      return spacesAt(text, at);
    case FEED:
      return breaksAt(text, at);
    case BACKSLASH:
      return backslashAt(text, at);
    case BRACKET:
      // Escape brackets that would imitate our own masks.
      return MASK.some((word) => text.startsWith(word, at + 1))
        ? escaped(text, at, 1)
        : { size: 1 };
    default:
      return otherAt(text, at, marks, isNormal);
  }
}

function otherAt(text: string, at: number, marks: number, isNormal: boolean): Piece {
  const emoji = emojiAt(text, at);
  if (emoji > 0) return { size: emoji };
  if (isHidden(text, at)) return escaped(text, at, runAt(text, at, isHidden));
  if (marks >= MAX_MARKS && isMark(text, at)) return escaped(text, at, runAt(text, at, isMark));
  const isSuspect = !isNormal && text.charCodeAt(at) >= 0x80;
  return isSuspect ? nonNormalAt(text, at) : { size: sizeAt(text, at) };
}

const SPACE = 0x20;
const FEED = 0x0a;
const BACKSLASH = 0x5c;
/** “⟨” */
const BRACKET = 0x27e8;
const MASK = ['hidden:', 'secret,'];
const EMOJI_HERE = new RegExp(EMOJI, 'vy');

/**
 * Returns the size of the emoji sequence at an index, or 0. Joiners within it are not hidden
 * characters.
 */
function emojiAt(text: string, at: number): number {
  if (!isEmoji(text, at) || (text.charCodeAt(at) < 0x80 && !isKeyCap(text, at))) return 0;
  EMOJI_HERE.lastIndex = at;
  return EMOJI_HERE.test(text) ? EMOJI_HERE.lastIndex - at : 0;
}

/** Returns whether a digit or sign is part of a keycap emoji such as 1️⃣. */
function isKeyCap(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return next === 0xfe0f || next === 0x20e3;
}

/** Escapes a character, or marks with the letter before them, unless they are in normal form. */
function nonNormalAt(text: string, at: number): Piece {
  let size = sizeAt(text, at);
  if (!isJoining(text, at)) return normalPieceAt(text, at, at, size);
  for (let n = 1; n < MAX_MARKS && isJoining(text, at + size); n += 1) {
    size += sizeAt(text, at + size);
  }
  const before = 1 + Number(isLowSurrogate(text, at - 1));
  return normalPieceAt(text, Math.max(0, at - before), at, size);
}

/** Cache of normalization results: a text has few different sequences, and normalizing is slow. */
const NORMAL_FORMS = new Map<number | string, boolean>();
const MAX_NORMAL_FORMS = 5_000;

function normalPieceAt(text: string, from: number, at: number, size: number): Piece {
  const end = at + size;
  // Numeric keys are faster than strings.
  const key =
    end - from === 2
      ? text.charCodeAt(from) * 65_536 + text.charCodeAt(from + 1)
      : text.slice(from, end);
  let isNormalForm = NORMAL_FORMS.get(key);
  if (isNormalForm === undefined) {
    if (NORMAL_FORMS.size >= MAX_NORMAL_FORMS) NORMAL_FORMS.clear();
    const joined = text.slice(from, end);
    isNormalForm = joined.normalize('NFC') === joined;
    NORMAL_FORMS.set(key, isNormalForm);
  }
  return isNormalForm ? { size } : escaped(text, at, size);
}

/** Shown as it is: printable ASCII without spaces and backslashes. */
const PLAIN = /^[!-[\]-~]*$/;

/**
 * Makes every other part visible, starting with the first. The parts between are our own and stay.
 */
export function toVisibleParts(parts: readonly string[]): VisibleText {
  let hidden = 0;
  const texts = parts.map((part, i) => {
    if (i % 2 === 1 || PLAIN.test(part)) return part;
    // The neighbouring character decides whether a space at the edge is visible.
    const before = i === 0 ? '' : '⟩';
    const after = i === parts.length - 1 ? '' : '⟨';
    const visible = toVisible(`${before}${part}${after}`);
    hidden += visible.hidden;
    return visible.text.slice(before.length, visible.text.length - after.length);
  });
  return { text: texts.join(''), hidden };
}

/** Returns the size in code units of the run of matching characters at an index. */
function runAt(text: string, from: number, isSuch: typeof isMark): number {
  let at = from;
  while (isSuch(text, at)) at += sizeAt(text, at);
  return at - from;
}

function charactersIn(text: string, from: number, size: number): number {
  if (size === 1) return 1;
  let count = 0;
  for (let at = from; at < from + size; at += sizeAt(text, at)) count += 1;
  return count;
}

function marksAfter(text: string, from: number, size: number, before: number): number {
  let count = before;
  for (let at = from; at < from + size; at += sizeAt(text, at)) {
    count = isMark(text, at) ? count + 1 : 0;
  }
  return count;
}

/** Cached escapes of single characters, by code. */
const ESCAPES: (string | undefined)[] = [];

function escaped(text: string, at: number, size: number): Piece {
  if (size > 1) return { size, shownAs: escapeCharacters(text.slice(at, at + size)) };
  const code = text.charCodeAt(at);
  const shownAs = ESCAPES[code] ?? escapeRun(text.charAt(at), 1);
  ESCAPES[code] = shownAs;
  return { size, shownAs };
}

/** Escapes characters; repeats of one character are written with their count. */
export function escapeCharacters(piece: string): string {
  let shown = '';
  let at = 0;
  while (at < piece.length) {
    const code = piece.codePointAt(at) ?? 0;
    const size = code > 0xffff ? 2 : 1;
    let times = 1;
    while (piece.codePointAt(at + times * size) === code) times += 1;
    shown += escapeRun(String.fromCodePoint(code), times);
    at += times * size;
  }
  return shown;
}

function escapeRun(character: string, times: number): string {
  return `\\u{${codePoint(character)}${times === 1 ? '' : ` x${times}`}}`;
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

function spacesAt(text: string, at: number): Piece {
  let end = at + 1;
  while (text.charCodeAt(end) === SPACE) end += 1;
  const size = end - at;
  const next = text.charCodeAt(end);
  const leads = at > 0 && text.charCodeAt(at - 1) === FEED;
  const trails = end === text.length || next === FEED || at === 0;
  if (!trails && size <= (leads ? MAX_INDENT : MAX_SPACES)) return { size };
  return escaped(text, at, size);
}

function backslashAt(text: string, at: number): Piece {
  const isOurs = text.startsWith('u{', at + 1);
  return isOurs ? { size: 3, shownAs: '\\u{5c}u{', counts: false } : { size: 1 };
}

function breaksAt(text: string, at: number): Piece {
  let end = at + 1;
  while (text.charCodeAt(end) === FEED) end += 1;
  const size = end - at;
  return size <= MAX_BREAKS ? { size } : escaped(text, at, size);
}

/** Decodes a visible text: the inverse of `toVisible`. */
export function fromVisible(visible: string): string {
  return visible.replace(/\\u\{([0-9a-f]+)(?: x([0-9]+))?\}/g, (_, code: string, times = '1') =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
}

const NAME_LIMIT = 80;

/** Escapes a tool's name for markup: letters, digits and `._-` stay. */
export function escapeToolName(name: string): string {
  return showPlain(name, /[^A-Za-z0-9._-]/gu);
}

/**
 * Escapes a tool's name for plain text: also keeps `/` and a single `:`, which can't form an emoji.
 */
export function escapeHeading(name: string): string {
  const isEmoji = /:.*:/su.test(name);
  return showPlain(name, isEmoji ? /[^A-Za-z0-9./_-]/gu : /[^A-Za-z0-9.:/_-]/gu);
}

/** Returns whether a tool's name is shown in full. */
export function isNameUnescaped(name: string): boolean {
  return escapeName(name, /[^A-Za-z0-9._-]/gu).length <= NAME_LIMIT;
}

/** Escapes a program's name for markup: as a tool's, but single spaces between words stay. */
export function escapeProgramName(name: string): string {
  return showPlain(name, /(?! (?=[A-Za-z0-9._-]))[^A-Za-z0-9._-]|(?<=^|[^A-Za-z0-9._-]) /gu);
}

function escapeName(name: string, hidden: RegExp): string {
  return name.replace(hidden, (character) => `\\u{${codePoint(character)}}`);
}

function showPlain(name: string, hidden: RegExp): string {
  const safe = escapeName(name, hidden);
  if (safe === '') return '(no name)';
  if (safe.length <= NAME_LIMIT) return safe;
  return `${safe.slice(0, NAME_LIMIT)}… (${NAME_LIMIT} of ${safe.length} characters)`;
}
