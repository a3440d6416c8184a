import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { type AmbiguousYaml, findAmbiguousNumbers, findAmbiguousText } from './ambiguous-yaml.ts';

/** A place in the file; both numbers start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Keys and list indexes, from the top of the file. */
export type Path = readonly (string | number)[];

/** The parsed file, with the location of each part. */
export interface PolicySource {
  readonly value: unknown;
  /** The lines of the text. */
  readonly lines: readonly string[];
  /** Place of a value, or of its nearest existing parent. */
  placeOf(path: Path): Place;
  /** Place of a value's key. */
  placeOfKey(path: Path): Place;
  /** Place of one character of a text value. */
  placeIn(path: Path, offset: number): Place;
}

/** A YAML syntax error and its place. */
export interface SyntaxProblem {
  readonly place: Place;
  readonly message: string;
}

/**
 * Parses strict YAML 1.2: one document, nothing ambiguous, no tags, anchors, aliases or directives.
 */
export function parsePolicySource(text: string):
  | { readonly ok: true; readonly source: PolicySource }
  | {
      readonly ok: false;
      readonly problems: readonly SyntaxProblem[];
      readonly lines: readonly string[];
    } {
  const counter = new LineCounter();
  const lines = text.split(/\r?\n/);
  const toPlace = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const options = { lineCounter: counter, prettyErrors: false, uniqueKeys: true, stringKeys: true };
  const parsed = parseAllDocuments(text, options);
  const documents = Array.isArray(parsed) ? parsed : [];
  // Ambiguous text may cause the parser's own errors, so it is reported alone.
  const misread = findAmbiguousText(text);
  const found = misread.length > 0 ? misread : findProblems(documents);
  if (found.length > 0) return { ok: false, problems: sortProblems(found, toPlace), lines };
  const [document] = documents;
  const value: unknown = document?.toJS() ?? null;
  return { ok: true, source: { value, lines, ...createPlaces(document, lines, toPlace) } };
}

/** One mistake can cause hundreds of problems. */
const MAX_PROBLEMS = 20;
const SECOND = 'A second document starts here. Keep one, without “---”.';

function findProblems([document, second]: readonly Document.Parsed[]): readonly AmbiguousYaml[] {
  if (!document) return [];
  const errors = [...document.errors, ...document.warnings].map((error) => ({
    offset: error.pos[0],
    message: describeSyntax(error),
  }));
  const more = second ? [{ offset: second.range[0], message: SECOND }] : [];
  return [...errors, ...findAmbiguousNumbers(document), ...more];
}

/** At one place, the first problem causes the others. */
function sortProblems(
  found: readonly AmbiguousYaml[],
  toPlace: (offset: number) => Place,
): readonly SyntaxProblem[] {
  const byOffset = new Map<number, string>();
  for (const { message, offset } of found) {
    if (!byOffset.has(offset)) byOffset.set(offset, message);
  }
  return [...byOffset]
    .toSorted(([a], [b]) => a - b)
    .slice(0, MAX_PROBLEMS)
    .map(([offset, message]) => ({ place: toPlace(offset), message }));
}

const REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'A tab can’t indent in YAML. Use spaces.',
  DUPLICATE_KEY: 'This key appears twice. Keep one of them.',
  BAD_SCALAR_START:
    'A value can’t start with this character. Put it in quotes, like "@handle" or "#channel".',
};

function describeSyntax({ code, message }: YAMLError): string {
  return REMEDIES[code] ?? `This is not valid YAML: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}

/** A node and its key. */
interface Found {
  readonly node: Node | undefined;
  readonly key: Node | undefined;
  /** Whether the whole path exists. */
  readonly isWhole: boolean;
}

function createPlaces(
  document: Document.Parsed | undefined,
  lines: readonly string[],
  toPlace: (offset: number) => Place,
): Pick<PolicySource, 'placeOf' | 'placeOfKey' | 'placeIn'> {
  const startOf = (node: Node | undefined): Place => toPlace(node?.range?.[0] ?? 0);

  function find(path: Path): Found {
    let node: Node | undefined = document?.contents ?? undefined;
    let key: Node | undefined;
    for (const part of path) {
      const below = stepInto(node, part);
      if (!below) return { node, key, isWhole: false };
      ({ node, key } = below);
    }
    return { node, key, isWhole: true };
  }

  return {
    placeOf(path) {
      const { node, key } = find(path);
      return startOf(isEmpty(node) ? key : node);
    },
    placeOfKey(path) {
      const { node, key, isWhole } = find(path);
      return startOf(isWhole ? (key ?? node) : node);
    },
    placeIn(path, offset) {
      const { node } = find(path);
      const place = startOf(node);
      return isScalar(node) ? placeInScalar(node, place, offset, lines) : place;
    },
  };
}

function stepInto(
  node: Node | undefined,
  part: string | number,
): { readonly node: Node | undefined; readonly key: Node | undefined } | undefined {
  // A single text is accepted in place of a list with one item.
  if (isScalar(node) && part === 0) return { node, key: node };
  if (isSeq<Node>(node)) {
    const item = node.items[Number(part)];
    return item && { node: item, key: item };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return pair && { node: pair.value ?? undefined, key: pair.key };
}

/** An omitted value has a place but no text. */
function isEmpty(node: Node | undefined): boolean {
  return node === undefined || (isScalar(node) && node.value === null && !node.source);
}

/** Only single-line texts and literal blocks are written as they are read. */
function placeInScalar(
  node: Scalar,
  { line, column }: Place,
  offset: number,
  lines: readonly string[],
): Place {
  const before = String(node.value).slice(0, offset).split('\n');
  const inLine = before.at(-1)?.length ?? 0;
  if (node.type === 'BLOCK_LITERAL') {
    const first = lines.slice(line).find((each) => each.trim() !== '') ?? '';
    const indent = first.length - first.trimStart().length;
    return { line: line + before.length, column: indent + inLine + 1 };
  }
  const source = lines[line - 1] ?? '';
  const quote = node.type === 'PLAIN' ? 0 : 1;
  const isAsRead = source.startsWith(String(node.value), column - 1 + quote);
  return isAsRead ? { line, column: column + quote + inLine } : { line, column };
}
