/** Finds many texts in another one: time grows with the sizes of both, never with their product. */

import { bordersOf, matchEndsIn } from './find-substrings.ts';

/** A part of a text, and which of the texts looked for it holds. */
export interface TextMatch {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** What the longest of them was given as its owner. */
  readonly owner: string;
}

/** A text to look for; `owner` is given back where it is found. */
export interface SearchText {
  readonly text: string;
  readonly owner: string;
}

/** Looks for a fixed set of texts. */
export interface TextFinder {
  /** In order, overlapping ones joined. */
  find(text: string): readonly TextMatch[];
}

/** Finds nothing. */
export const NO_TEXTS: TextFinder = { find: () => [] };

/** Each longer text is looked for by itself. */
const LONG = 10_000;
const MAX_LONG = 30;
/** More characters of the shorter texts in all would take long to prepare. */
const MAX_SHORT = 120_000;

/** Makes the finder of a set of texts. Of more than can be looked for in a few milliseconds it takes every text for one of them. */
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

/** Joins what overlaps; of those joined the longest names the owner. */
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

/** Looks for one text (Knuth–Morris–Pratt). */
function createLongFinder({ text: sought, owner }: SearchText): TextFinder {
  let borders: Int32Array | undefined;
  return {
    find(text) {
      if (text.length < sought.length) return [];
      borders ??= bordersOf(sought);
      return joinAll(
        matchEndsIn(text, sought, borders).map((to) => ({ from: to - sought.length, to, owner })),
      );
    },
  };
}

/** Looks for all texts in one pass (Aho–Corasick). */
function createShortFinder(all: readonly SearchText[]): readonly TextFinder[] {
  if (all.length === 0) return [];
  const trie = createTrie(all);
  return [{ find: (text) => findIn(text, trie, all) }];
}

const ROOT = 0;

/** Prefixes of the texts as numbered nodes; its steps are a hash table, since a node may have 65,536 of them. */
interface Trie {
  /** The node after another one by a character; -1 where there is none. */
  next(node: number, code: number): number;
  /** The node of the longest proper end of a node's prefix that is a prefix too. */
  readonly fallback: Int32Array;
  /** The place in the list of the longest text that ends at a node; -1 for none. */
  readonly longest: Int32Array;
  /** Of the texts. */
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

/** The nodes of up to so many prefixes, the empty one included. */
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
    /** Returns the node of the whole text. */
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

/** The nodes but the root, those of shorter prefixes first. */
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

/** The node after a character, by ever shorter ends of what was read. */
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

/** A hash table from a node and a character to a node, with open addressing. */
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
  // Most characters of a text begin nothing: the root is asked the most.
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
  /** The place in the list, and the length, of the longest text that it holds. */
  place: number;
  length: number;
}

/** Adds what ends last, joined with what it overlaps. */
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
