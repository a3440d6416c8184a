/**
 * The only reader of `.env`. Node's own leaves out what it does not understand, and cuts an unquoted
 * value at its first `#`, so the app would start with settings that nobody wrote. Here each line is
 * read as it is written, or refused. No sentence holds a value: it may be a secret.
 */

/** What the file sets, by name, and all that is wrong with it. */
export interface EnvFileParseResult {
  readonly values: Readonly<Record<string, string>>;
  /** Sentences without a subject: “line 3 has …”. */
  readonly problems: readonly string[];
}

const EMPTY_LINE = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME_PART = /[ \t]*(?:export[ \t]+)?([^=\n]*?)[ \t]*=/y;
const LINE_END = /[ \t]*(?:[ \t]#[^\n]*)?(?:\n|$)/y;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SETTING_INSIDE = /\n[ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]*[ \t]*=/;
/** All control characters but tabs and the two kinds of line break that are in use. */
const CONTROL = /[^\P{Cc}\t\r\n]|\r(?!\n)/u;
/** Characters that can't be seen, and blanks that are no blank here. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const OPENING = /[ \t]*(['"`])/y;
const QUOTE = 'Put the whole value in single quotes, or in backticks (`) where it holds one.';

/** Reads the bytes of a file; never throws. */
export function parseEnvFile(bytes: Uint8Array): EnvFileParseResult {
  let text: string;
  try {
    // The byte order mark that some editors write is left out by it.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { values: {}, problems: ['is not UTF-8. Save it as UTF-8.'] };
  }
  const control = CONTROL.exec(text);
  if (control) {
    const why = `line ${lineAt(text, control.index)} holds a control character, like a zero byte or a line break of an old Mac. Save the file as plain text.`;
    return { values: {}, problems: [why] };
  }
  return readEntries(text.replaceAll('\r\n', '\n'));
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Why an entry can't be read as it is written: the end of a sentence that begins with its line. */
class Refusal extends Error {}

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
        throw new Refusal(`sets ${name} again, after line ${earlier}. Keep one of them.`);
      }
      lines.set(name, line);
      values.set(name, value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
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

/** Whatever is wrong, the reader stands at the next line then. */
function readEntry(reader: Reader): { readonly name: string; readonly value: string } {
  const name = take(reader, NAME_PART)?.[1];
  if (name === undefined) {
    skipLine(reader);
    throw new Refusal('sets nothing: it has no “=”. A comment begins with “#”.');
  }
  const mark = take(reader, OPENING)?.[1];
  const value = mark === undefined ? readPlain(skipLine(reader)) : readQuoted(reader, mark);
  if (NAME.test(name)) return { name, value };
  throw new Refusal(
    'has no name in front of its “=” that a variable can have: letters, digits and “_”. If it belongs to the value of the line before, put that value in quotes.',
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
  // What comes after a blank and “#” is a comment.
  const value = (/^(.*?)(?:[ \t]+#.*)?$/s.exec(rest)?.[1] ?? '').replace(/^[ \t]+|[ \t]+$/g, '');
  if (value.includes('#')) {
    throw new Refusal(`has a “#” in its value, which other programs read as a comment. ${QUOTE}`);
  }
  if (/[$\\'"`]/.test(value)) {
    throw new Refusal(
      `has a “$”, “\\” or quote in its value, which other programs replace. ${QUOTE}`,
    );
  }
  if (UNSEEN.test(value)) {
    throw new Refusal(`has a character in its value that can’t be seen. Remove it, or quote it.`);
  }
  return value;
}

function readQuoted(reader: Reader, mark: string): string {
  const closed = reader.text.indexOf(mark, reader.at);
  const content = reader.text.slice(reader.at, closed);
  if (closed === -1 || SETTING_INSIDE.test(content)) {
    skipLine(reader);
    throw new Refusal(
      `opens a quote ${mark} that is not closed before the next setting. Close it; in double quotes \\n is a line break.`,
    );
  }
  reader.at = closed + 1;
  if (!take(reader, LINE_END)) {
    skipLine(reader);
    throw new Refusal(
      `has more text after its closing ${mark}. Remove it; to have ${mark} in the value, quote it with one of the other two: ' " \`.`,
    );
  }
  return mark === '"' ? readBreaks(content) : content;
}

function readBreaks(content: string): string {
  if (/\$|\\(?!n)/.test(content)) {
    throw new Refusal(
      `has a “$” or “\\” in double quotes, which other programs replace; only \\n is read here, as a line break. ${QUOTE}`,
    );
  }
  return content.replaceAll('\\n', '\n');
}
