import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLError,
} from 'yaml';

/** A place in the file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Keys and places in lists, from the top of the file. */
export type Path = readonly (string | number)[];

/** The file as a value, and where in the text each part of it stands. */
export interface PolicySource {
  readonly value: unknown;
  /** The lines of the text. */
  readonly lines: readonly string[];
  /** Of a value or, where there is none, of what is nearest above it. */
  placeOf(path: Path): Place;
  /** Of the key of a value. */
  placeOfKey(path: Path): Place;
  /** Of one character of a text value. */
  placeIn(path: Path, offset: number): Place;
}

/** What can't be read as YAML, and where. */
export interface SyntaxProblem {
  readonly place: Place;
  readonly message: string;
}

/** Reads a text as YAML 1.2: one document, without keys that stand twice. */
export function readSource(text: string):
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
  const options = { lineCounter: counter, prettyErrors: false, uniqueKeys: true } as const;
  const documents = parseAllDocuments(text, options);
  const [document, second] = Array.isArray(documents) ? documents : [];
  const problems = (document?.errors ?? []).map((error) => ({
    place: toPlace(error.pos[0]),
    message: saySyntax(error),
  }));
  if (second) {
    const at = toPlace(second.range[0]);
    problems.push({
      place: at,
      message: 'A second document begins here. Keep one, without “---”.',
    });
  }
  if (problems.length > 0) return { ok: false, problems, lines };
  const read = toValue(document);
  if (!read.ok) {
    return { ok: false, problems: [{ place: { line: 1, column: 1 }, message: read.why }], lines };
  }
  return {
    ok: true,
    source: { value: read.value, lines, ...createPlaces(document, lines, toPlace) },
  };
}

function toValue(
  document: Document.Parsed | undefined,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string } {
  try {
    return { ok: true, value: document?.toJS() ?? null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, why: `Its aliases can’t be followed: ${why}. Write the values out.` };
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'A tab can’t indent in YAML. Use spaces.',
  DUPLICATE_KEY: 'This key stands here twice. Keep one of them.',
  BAD_SCALAR_START:
    'A text can’t begin with this character. Put it in quotes, like "@handle" or "#channel".',
};

function saySyntax({ code, message }: YAMLError): string {
  return REMEDIES[code] ?? `This is no YAML: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}

/** A node, and the key that it stands under. */
interface Found {
  readonly node: Node | undefined;
  readonly key: Node | undefined;
  /** Whether all of the path was there. */
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
      const below = document && stepInto(document, node, part);
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
  document: Document.Parsed,
  from: Node | undefined,
  part: string | number,
): { readonly node: Node | undefined; readonly key: Node | undefined } | undefined {
  const node = isAlias(from) ? from.resolve(document) : from;
  if (isSeq<Node>(node)) {
    const item = node.items[Number(part)];
    return item && { node: item, key: item };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return pair && { node: pair.value ?? undefined, key: pair.key };
}

/** A value that is left out has a place, but nothing stands there. */
function isEmpty(node: Node | undefined): boolean {
  return node === undefined || (isScalar(node) && node.value === null && !node.source);
}

/** Plain and quoted texts on one line, and blocks that keep their lines, stand in the file as they are read. */
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
