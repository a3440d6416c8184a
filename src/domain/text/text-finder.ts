/**
 * Finds many texts in another one. Time grows with the sum of their sizes, never with the product.
 */

import { bordersOf, matchEndsIn } from './find-substrings.ts';

/** A matched range, and the owner of a text found in it. */
export interface TextMatch {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Owner of the longest text in the range. */
  readonly owner: string;
}

/** A text to look for. Its `owner` is returned with each match. */
export interface SearchText {
  readonly text: string;
  readonly owner: string;
}

/** Looks for a fixed set of texts. */
export interface TextFinder {
  /** Returns matches in order, overlapping ones merged. */
  find(text: string): readonly TextMatch[];
}

/** Finds nothing. */
export const NO_TEXTS: TextFinder = { find: () => [] };

/** Longer texts are searched one by one. */
const LONG = 10_000;
const MAX_LONG = 30;
/** Preparing more characters of short texts takes too long. */
const MAX_SHORT = 120_000;

/**
 * Creates a finder for a set of texts. If the set is too large to search within milliseconds, the
 * finder reports every text as a match.
 */
export function createTextFinder(wanted: readonly SearchText[]): TextFinder {
  const all = wanted.filter(({ text }) => text !== '');
  const long = all.filter(({ text }) => text.length > LONG);
  const short = all.filter(({ text }) => text.length <= LONG);
  const characters = short.reduce((sum, { text }) => sum + text.length, 0);
  if (long.length > MAX_LONG || characters > MAX_SHORT) return EVERY_TEXT;
  const finders = [...long.map(createLongFinder), ...createShortFinder(short)];
  const [only = NO_TEXTS] = finders;
  if (finders.length <= 1) return only;
  return { find: (text) => joinAll(finders.flatMap((finder) => [...finder.find(text)])) };
}

const EVERY_TEXT: TextFinder = {
  find: (text) => (text === '' ? [] : [{ from: 0, to: text.length, owner: text }]),
};

/** Merges overlapping matches. The longest one sets the owner. */
function joinAll(found: readonly TextMatch[]): readonly TextMatch[] {
  const joined: TextMatch[] = [];
  let longest = 0;
  for (const next of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = joined.at(-1);
    const length = next.to - next.from;
    if (last === undefined || next.from >= last.to) {
      joined.push(next);
      longest = length;
      continue;
    }
    const { owner } = length > longest ? next : last;
    joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, next.to), owner };
    longest = Math.max(longest, length);
  }
  return joined;
}

/** Searches for one text (Knuth–Morris–Pratt). */
function createLongFinder({ text: pattern, owner }: SearchText): TextFinder {
  let borders: Int32Array | undefined;
  return {
    find(text) {
      if (text.length < pattern.length) return [];
      borders ??= bordersOf(pattern);
      return joinAll(
        matchEndsIn(text, pattern, borders).map((to) => ({ from: to - pattern.length, to, owner })),
      );
    },
  };
}

/** Searches for all texts in one pass (Aho–Corasick). */
function createShortFinder(all: readonly SearchText[]): readonly TextFinder[] {
  if (all.length === 0) return [];
  const trie = createTrie(all);
  return [{ find: (text) => findIn(text, trie, all) }];
}

const ROOT = 0;

/**
 * Prefixes of the texts as numbered nodes. Steps are a hash table: a node can have 65,536 of them.
 */
interface Trie {
  /** Returns the child of a node for a character, or -1. */
  next(node: number, code: number): number;
  /** For each node, the node of its longest proper suffix that is also a prefix. */
  readonly fallback: Int32Array;
  /** For each node, the index of the longest text that ends there, or -1. */
  readonly longest: Int32Array;
  /** Length of each text. */
  readonly lengths: Int32Array;
}

function createTrie(all: readonly SearchText[]): Trie {
  const most = 1 + all.reduce((sum, { text }) => sum + text.length, 0);
  const nodes = createNodes(most);
  const longest = new Int32Array(most).fill(-1);
  for (const [place, { text }] of all.entries()) {
    const end = nodes.addText(text);
    if (longest[end] === -1) longest[end] = place;
  }
  const fallback = new Int32Array(most);
  for (const node of byDepth(nodes.depth, nodes.size())) {
    const end = endAfter(node, nodes, fallback);
    fallback[node] = end;
    if (longest[node] === -1) longest[node] = longest[end] ?? -1;
  }
  const lengths = Int32Array.from(all, ({ text }) => text.length);
  return { next: nodes.next, fallback, longest, lengths };
}

function endAfter(node: number, nodes: Nodes, fallback: Int32Array): number {
  const before = nodes.parent[node] ?? ROOT;
  if (before === ROOT) return ROOT;
  return follow(fallback[before] ?? ROOT, nodes.codes[node] ?? 0, nodes, fallback);
}

type Nodes = ReturnType<typeof createNodes>;

/** Creates storage for up to `most` prefixes, the empty one included. */
function createNodes(most: number) {
  const steps = createSteps(most);
  const parent = new Int32Array(most);
  const codes = new Uint16Array(most);
  const depth = new Int32Array(most);
  let size = 1;

  function addAfter(node: number, code: number): number {
    const child = size;
    size += 1;
    steps.add(node, code, child);
    parent[child] = node;
    codes[child] = code;
    depth[child] = (depth[node] ?? 0) + 1;
    return child;
  }

  return {
    next: steps.next,
    parent,
    codes,
    depth,
    size: () => size,
    /** Adds a text and returns its last node. */
    addText(text: string): number {
      let node = ROOT;
      for (let i = 0; i < text.length; i += 1) {
        const code = text.charCodeAt(i);
        const known = steps.next(node, code);
        node = known === -1 ? addAfter(node, code) : known;
      }
      return node;
    },
  };
}

/** Lists all nodes except the root, shorter prefixes first. */
function byDepth(depth: Int32Array, size: number): Int32Array {
  const deepest = depth.reduce((most, each) => Math.max(most, each), 0);
  const starts = new Int32Array(deepest + 2);
  for (let node = 1; node < size; node += 1) {
    const at = (depth[node] ?? 0) + 1;
    starts[at] = (starts[at] ?? 0) + 1;
  }
  for (let at = 1; at < starts.length; at += 1) {
    starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  }
  const order = new Int32Array(size - 1);
  for (let node = 1; node < size; node += 1) {
    const at = depth[node] ?? 0;
    const place = starts[at] ?? 0;
    order[place] = node;
    starts[at] = place + 1;
  }
  return order;
}

/** Returns the node after a character, falling back to ever shorter suffixes. */
function follow(
  from: number,
  code: number,
  { next }: Pick<Trie, 'next'>,
  fallback: Int32Array,
): number {
  for (let node = from; ; node = fallback[node] ?? ROOT) {
    const child = next(node, code);
    if (child !== -1) return child;
    if (node === ROOT) return ROOT;
  }
}

/** A hash table from node and character to child node, with open addressing. */
function createSteps(most: number) {
  const size = 2 ** Math.ceil(Math.log2(most * 2 + 2));
  const nodes = new Int32Array(size).fill(-1);
  const codes = new Uint16Array(size);
  const children = new Int32Array(size);
  const slotOf = (node: number, code: number) => {
    let at = Math.imul(Math.imul(node, 0x9e3779b1) ^ (code + 1), 0x85ebca6b);
    at = (at ^ (at >>> 15)) & (size - 1);
    while (nodes[at] !== -1 && (nodes[at] !== node || codes[at] !== code)) {
      at = (at + 1) & (size - 1);
    }
    return at;
  };
  // Fast path: most characters match nothing, so lookups at the root dominate.
  const first = new Int32Array(65_536).fill(-1);
  return {
    next(node: number, code: number): number {
      if (node === ROOT) return first[code] ?? -1;
      const at = slotOf(node, code);
      return nodes[at] === -1 ? -1 : (children[at] ?? -1);
    },
    add(node: number, code: number, child: number): void {
      if (node === ROOT) first[code] = child;
      const at = slotOf(node, code);
      nodes[at] = node;
      codes[at] = code;
      children[at] = child;
    },
  };
}

function findIn(text: string, trie: Trie, all: readonly SearchText[]): readonly TextMatch[] {
  const spans: Span[] = [];
  let node = ROOT;
  for (let i = 0; i < text.length; i += 1) {
    node = follow(node, text.charCodeAt(i), trie, trie.fallback);
    const place = trie.longest[node] ?? -1;
    if (place === -1) continue;
    const length = trie.lengths[place] ?? 0;
    join(spans, { from: i + 1 - length, to: i + 1, place, length });
  }
  return spans.map(({ from, to, place }) => ({ from, to, owner: all[place]?.owner ?? '' }));
}

interface Span {
  from: number;
  readonly to: number;
  /** Index and length of the longest text in the span. */
  place: number;
  length: number;
}

/** Appends a span that ends last, merged with the spans it overlaps. */
function join(spans: Span[], span: Span): void {
  for (let last = spans.at(-1); last && last.to > span.from; last = spans.at(-1)) {
    spans.pop();
    span.from = Math.min(span.from, last.from);
    if (last.length >= span.length) {
      span.place = last.place;
      span.length = last.length;
    }
  }
  spans.push(span);
}
