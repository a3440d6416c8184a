/**
 * Text as people may trust their eyes with: whatever can't plainly be seen is printed as `\u{…}`.
 * The way back is one to one (`\u{` itself is printed as `\u{5c}u{`), so two texts that differ never
 * look the same.
 */

/** A text with everything in it visible, and how many characters had to be made so. */
export interface VisibleText {
  readonly text: string;
  readonly hidden: number;
}

const HIDDEN =
  '[\\p{Cc}\\p{Cf}\\p{Cn}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]|(?! )\\p{Zs}';
/** Looked at first, since looking for an emoji at every letter takes long: letters with single spaces and breaks between them, but no keycap’s begin; in stretches, since the stack bears no repeat without end. */
const PLAIN = '[!-\\[\\]-~](?:[ \\n]?[!-\\[\\]-~]){0,999}(?![\\ufe0f\\u20e3])';
/** The first alternative wins: a whole emoji sequence stays, joiners included. */
const PIECES = new RegExp(
  `(?<plain>${PLAIN})|(?<emoji>\\p{RGI_Emoji})|(?<escape>\\\\u\\{)|(?<mask>⟨(?=hidden:|secret,))|(?<break>\\n)|(?<hidden>${HIDDEN})|(?<marks>(?<=\\p{M}{4})\\p{M}+)|(?<spaces> +)`,
  'gv',
);
const MAX_SPACES = 8;
const MAX_INDENT = 32;

/** Makes every character of a text visible; line breaks and emoji stay as they are. */
export function toVisible(text: string): VisibleText {
  let hidden = 0;
  const visible = text.replace(PIECES, (piece, ...rest) => {
    const groups = rest.at(-1) as Partial<Record<string, string>>;
    const at = rest.at(-3) as number;
    if (groups.plain ?? groups.emoji ?? groups.break) return piece;
    if (groups.escape !== undefined) return '\\u{5c}u{';
    // Nobody writes what looks like a mask of ours.
    const shown = groups.spaces === undefined ? escapeAll(piece) : showSpaces(text, piece, at);
    if (shown !== piece) hidden += [...piece].length;
    return shown;
  });
  return { text: visible, hidden };
}

/** Makes a text visible of which every second part is our own and stays as it is. */
export function toVisibleParts(parts: readonly string[]): VisibleText {
  let hidden = 0;
  const texts = parts.map((part, i) => {
    if (i % 2 === 1) return part;
    // What stands beside a part decides whether its spaces can be seen.
    const before = i === 0 ? '' : '⟩';
    const after = i === parts.length - 1 ? '' : '⟨';
    const visible = toVisible(`${before}${part}${after}`);
    hidden += visible.hidden;
    return visible.text.slice(before.length, visible.text.length - after.length);
  });
  return { text: texts.join(''), hidden };
}

function escapeAll(piece: string): string {
  return [...piece].map((character) => `\\u{${codePoint(character)}}`).join('');
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

function showSpaces(text: string, run: string, at: number): string {
  const after = text[at + run.length];
  const leads = at > 0 && text[at - 1] === '\n';
  const trails = after === undefined || after === '\n' || at === 0;
  if (!trails && run.length <= (leads ? MAX_INDENT : MAX_SPACES)) return run;
  return run.length === 1 ? '\\u{20}' : `\\u{20 x${run.length}}`;
}

/** Reads a visible text back: the inverse of `toVisible`. */
export function fromVisible(visible: string): string {
  return visible.replace(/\\u\{([0-9a-f]+)(?: x([0-9]+))?\}/g, (_, code: string, times = '1') =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
}

const NAME_LIMIT = 80;

/** Writes a tool's name where markup is read: plain letters, digits and `._-` stay, all else is escaped. */
export function showName(name: string): string {
  return showPlain(name, /[^A-Za-z0-9._-]/gu);
}

/** Writes a tool's name where nothing is markup: as elsewhere, but that `/` stays, and a single `:`, which makes no emoji. */
export function showHeading(name: string): string {
  const isEmoji = /:.*:/su.test(name);
  return showPlain(name, isEmoji ? /[^A-Za-z0-9./_-]/gu : /[^A-Za-z0-9.:/_-]/gu);
}

/** Tells whether a tool's name is written whole. */
export function isNameWhole(name: string): boolean {
  return escapeName(name, /[^A-Za-z0-9._-]/gu).length <= NAME_LIMIT;
}

/** Writes the name of a program where markup is read: as a tool's, but that single spaces between words stay. */
export function showTitle(name: string): string {
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

/** Writes a text on one line of a terminal or a report: a line break in it is an escape too, and spaces stay. */
export function showLine(text: string): string {
  return escapePieces(text, ['escape', 'hidden', 'marks']).replaceAll('\n', '\\u{a}');
}

/** Writes lines for a terminal, whatever is in them: no character acts on it or reorders others. Doing so twice changes nothing. */
export function showLines(text: string): string {
  return escapePieces(text, ['hidden', 'marks']);
}

function escapePieces(text: string, kinds: readonly ('escape' | 'hidden' | 'marks')[]): string {
  return text.replace(PIECES, (piece, ...rest) => {
    const groups = rest.at(-1) as Partial<Record<string, string>>;
    const kind = kinds.find((each) => groups[each] !== undefined);
    if (kind === undefined) return piece;
    return kind === 'escape' ? '\\u{5c}u{' : escapeAll(piece);
  });
}

const HIDDEN_IN_JSON = new RegExp(`(?!\\n)(?:${HIDDEN})`, 'gu');

/** Writes a JSON text with the escapes of JSON for whatever can't be seen: its value stays the same. */
export function showJson(json: string): string {
  return json.replace(HIDDEN_IN_JSON, (character) =>
    Array.from({ length: character.length }, (_each, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}
