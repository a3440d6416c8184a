/**
 * The only reader of `.env`. Node's own parser skips what it does not understand, and cuts an
 * unquoted value at its first `#`: the app could start with wrong settings. Here each line is read
 * exactly as written, or refused. Messages contain no values, which may be secrets.
 */

/** The variables in the file, and all problems. */
export interface EnvFileParseResult {
  readonly values: Readonly<Record<string, string>>;
  /** Sentence endings that follow the file's name: “line 3 has …”. */
  readonly problems: readonly string[];
}

const EMPTY_LINE = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME_PART = /[ \t]*(?:export[ \t]+)?([^=\n]*?)[ \t]*=/y;
const LINE_END = /[ \t]*(?:[ \t]#[^\n]*)?(?:\n|$)/y;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SETTING_INSIDE = /\n[ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]*[ \t]*=/;
/** All control characters except tabs and the line breaks `\n` and `\r\n`. */
const CONTROL = /[^\P{Cc}\t\r\n]|\r(?!\n)/u;
/** Invisible characters, and white space other than a plain space. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const OPENING = /[ \t]*(['"`])/y;
const QUOTE = 'Put the whole value in single quotes, or in backticks (`) if it contains one.';

/** Parses the bytes of a file. Never throws. */
export function parseEnvFile(bytes: Uint8Array): EnvFileParseResult {
  let text: string;
  try {
    // The decoder drops a byte order mark.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { values: {}, problems: ['is not UTF-8. Save it as UTF-8.'] };
  }
  const control = CONTROL.exec(text);
  if (control) {
    const why = `line ${lineAt(text, control.index)} has a control character, such as a zero byte or an old Mac line break. Save the file as plain text.`;
    return { values: {}, problems: [why] };
  }
  return readEntries(text.replaceAll('\r\n', '\n'));
}

interface Reader {
  readonly text: string;
  at: number;
}

/**
 * An entry that cannot be read as written. The message continues a sentence that begins with its
 * line.
 */
class EntryError extends Error {}

function readEntries(text: string): EnvFileParseResult {
  const reader: Reader = { text, at: 0 };
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const problems: string[] = [];
  while (reader.at < text.length) {
    if (take(reader, EMPTY_LINE)) continue;
    const line = lineAt(text, reader.at);
    try {
      const { name, value } = readEntry(reader);
      const earlier = lines.get(name);
      if (earlier !== undefined) {
        throw new EntryError(`sets ${name} again, after line ${earlier}. Keep one of them.`);
      }
      lines.set(name, line);
      values.set(name, value);
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      problems.push(`line ${line} ${error.message}`);
    }
  }
  return { values: Object.fromEntries(values), problems };
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  reader.at += match?.[0].length ?? 0;
  return match;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Reads one entry. Even if it throws, the reader is then at the next line. */
function readEntry(reader: Reader): { readonly name: string; readonly value: string } {
  const name = take(reader, NAME_PART)?.[1];
  if (name === undefined) {
    skipLine(reader);
    throw new EntryError('sets nothing: it has no “=”. A comment begins with “#”.');
  }
  const mark = take(reader, OPENING)?.[1];
  const value = mark === undefined ? readPlain(skipLine(reader)) : readQuoted(reader, mark);
  if (NAME.test(name)) return { name, value };
  throw new EntryError(
    'has no valid name before its “=”: use letters, digits and “_”. If it continues the value of the line before, put that value in quotes.',
  );
}

/** Returns the rest of the line. */
function skipLine(reader: Reader): string {
  const end = reader.text.indexOf('\n', reader.at);
  const rest = reader.text.slice(reader.at, end === -1 ? undefined : end);
  reader.at = end === -1 ? reader.text.length : end + 1;
  return rest;
}

function readPlain(rest: string): string {
  // White space and “#” begin a comment.
  const value = (/^(.*?)(?:[ \t]+#.*)?$/s.exec(rest)?.[1] ?? '').replace(/^[ \t]+|[ \t]+$/g, '');
  if (value.includes('#')) {
    throw new EntryError(
      `has a “#” in its value, which other programs read as a comment. ${QUOTE}`,
    );
  }
  if (/[$\\'"`]/.test(value)) {
    throw new EntryError(
      `has a “$”, “\\” or quote in its value, which other programs replace. ${QUOTE}`,
    );
  }
  if (INVISIBLE.test(value)) {
    throw new EntryError(`has an invisible character in its value. Remove it, or quote the value.`);
  }
  return value;
}

function readQuoted(reader: Reader, mark: string): string {
  const closed = reader.text.indexOf(mark, reader.at);
  const content = reader.text.slice(reader.at, closed);
  if (closed === -1 || SETTING_INSIDE.test(content)) {
    skipLine(reader);
    throw new EntryError(
      `opens a quote ${mark} that is not closed before the next setting. Close it; in double quotes \\n is a line break.`,
    );
  }
  reader.at = closed + 1;
  if (!take(reader, LINE_END)) {
    skipLine(reader);
    throw new EntryError(
      `has more text after its closing ${mark}. Remove it; to have ${mark} in the value, quote it with one of the other two: ' " \`.`,
    );
  }
  return mark === '"' ? unescapeNewlines(content) : content;
}

function unescapeNewlines(content: string): string {
  if (/\$|\\(?!n)/.test(content)) {
    throw new EntryError(
      `has a “$” or “\\” in double quotes, which other programs replace; only \\n is read here, as a line break. ${QUOTE}`,
    );
  }
  return content.replaceAll('\\n', '\n');
}
