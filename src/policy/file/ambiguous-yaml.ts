/** Finds valid YAML that would be dropped, or read differently from what people see. */
import { CST, type Document, Lexer, visit } from 'yaml';

/** A problem at a character of the text. */
export interface AmbiguousYaml {
  readonly offset: number;
  readonly message: string;
}

/** Finds problems in the text itself, because the parser drops some of it. */
export function findAmbiguousText(text: string): readonly AmbiguousYaml[] {
  const invisible = findInvisible(text);
  // Invisible characters may cause all other problems.
  if (invisible.length > 0) return invisible;
  const lexemes = lex(text);
  return [
    ...lexemes.flatMap(checkMark),
    ...lexemes.flatMap(checkEscapes),
    ...findLostComments(lexemes),
  ];
}

/** Finds numbers that are not read as written: hexadecimal, `.inf` or too many digits. */
export function findAmbiguousNumbers(document: Document.Parsed): readonly AmbiguousYaml[] {
  const found: AmbiguousYaml[] = [];
  visit(document, {
    Scalar(_key, { range, source, value }) {
      if (typeof value !== 'number' || String(value) === source) return;
      const message = `YAML reads this as ${value}. Write it that way, or put it in quotes.`;
      found.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return found;
}

interface Lexeme {
  readonly offset: number;
  readonly source: string;
  readonly kind: CST.Token['type'] | 'plain' | null;
}

/** Marks that the lexer inserts between tokens; they are not in the text. */
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

function lex(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = [];
  let offset = 0;
  let isScalarNext = false;
  for (const source of new Lexer().lex(text)) {
    if (MARKS.has(source)) {
      isScalarNext = source === CST.SCALAR;
      continue;
    }
    const kind = isScalarNext ? 'plain' : (CST.tokenType(source) as Lexeme['kind']);
    lexemes.push({ offset, source, kind });
    offset += source.length;
    isScalarNext = false;
  }
  return lexemes;
}

const INVISIBLE = /(?!\r\n|[\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{FFFE}\u{FFFF}]/gu;

function findInvisible(text: string): readonly AmbiguousYaml[] {
  return [...text.matchAll(INVISIBLE)].map(({ 0: character, index }) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const what =
      character === '\r' ? 'A line ends with CR alone.' : `U+${code} can’t be seen here.`;
    const remedy =
      character === '\r'
        ? 'End lines with LF.'
        : 'Delete it, or write it in double quotes like "\\u200D".';
    return { offset: index, message: `${what} ${remedy}` };
  });
}

function checkMark({ kind, offset, source }: Lexeme): readonly AmbiguousYaml[] {
  const message = kind && MARK_REMEDIES[kind]?.(source);
  return message === undefined || message === null ? [] : [{ offset, message }];
}

const MARK_REMEDIES: Readonly<Record<string, (source: string) => string>> = {
  tag: (source) =>
    `YAML reads “${source}” as a tag and drops it. Put a value that begins with ! in quotes.`,
  anchor: (source) =>
    `YAML reads “${source}” as an anchor and drops it. Put a value that begins with & in quotes; write repeated values out.`,
  alias: (source) =>
    `YAML reads “${source}” as an alias. Put a value that begins with * in quotes, like "*_delete"; write repeated values out.`,
  'directive-line': () => 'Directives (%) are not supported. Remove this line.',
};

/** YAML's meaning is rarely intended: in a regex, `\b` is a word boundary. */
const ESCAPE = /\\./gs;

function checkEscapes({ kind, offset, source }: Lexeme): readonly AmbiguousYaml[] {
  if (kind !== 'double-quoted-scalar') return [];
  return [...source.matchAll(ESCAPE)]
    .filter(([written]) => /[0abefvrNLP_]/.test(written))
    .map(({ 0: written, index }) => ({
      offset: offset + index,
      message: `YAML reads “${written}” in double quotes as a control character. Use single quotes, which keep it as it is.`,
    }));
}

/**
 * A sentence may continue after `#`. In conditions, `#` occurs only in quotes; a cut-off quote is
 * rejected anyway.
 */
const TEXT_KEY = 'reason';

/** Finds comments that may be part of the value before them. */
function findLostComments(lexemes: readonly Lexeme[]): readonly AmbiguousYaml[] {
  const found: AmbiguousYaml[] = [];
  let key = '';
  let last: Lexeme | undefined;
  for (const lexeme of lexemes) {
    if (lexeme.kind === 'space') continue;
    if (lexeme.kind === 'map-value-ind') key = last?.source.replace(/^["']|["']$/g, '') ?? '';
    if (isLost(lexeme, last, key)) found.push({ offset: lexeme.offset, message: COMMENT });
    last = lexeme;
  }
  return found;
}

function isLost({ kind, source }: Lexeme, before: Lexeme | undefined, key: string): boolean {
  const isAlone = !before || before.source.endsWith('\n');
  if (kind !== 'comment' || isAlone) return false;
  const isInText = before.kind === 'plain' && key === TEXT_KEY;
  return isInText || !/^#+(?:\s|$)/.test(source);
}

const COMMENT =
  'YAML drops the text after # here. If it belongs to the value, put the value in quotes; else move the comment to its own line above.';
