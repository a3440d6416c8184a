/** A piece of formatted text: the result of both the mrkdwn and the Markdown parser. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[] }
  | {
      readonly kind: 'user' | 'channel' | 'group';
      readonly id: string;
      readonly label?: string | undefined;
    }
  | { readonly kind: 'broadcast'; readonly range: string }
  | {
      readonly kind: 'date';
      readonly timestamp: number;
      readonly format: string;
      readonly fallback: string;
      readonly url?: string | undefined;
    }
  | { readonly kind: 'emoji'; readonly name: string };

/** The match of a rule: the node, and the position after it. */
export interface InlineHit {
  readonly node: Inline;
  readonly end: number;
}

/** Matches a construct that starts at `at`. `nested` parses inner text with the same rules. */
export type InlineRule = (
  text: string,
  at: number,
  nested: (inner: string) => readonly Inline[],
) => InlineHit | undefined;

/** Rules by the first character of the construct, tried in order. */
export type InlineRules = Readonly<Record<string, readonly InlineRule[]>>;

const MAX_DEPTH = 12;

/** Parses text with the rules. Characters that no rule matches stay text. */
export function scanInlines(text: string, rules: InlineRules, depth = 0): readonly Inline[] {
  if (depth > MAX_DEPTH) return text === '' ? [] : [{ kind: 'text', text }];
  const nested = (inner: string) => scanInlines(inner, rules, depth + 1);
  const nodes: Inline[] = [];
  let at = 0;
  while (at < text.length) {
    const match = firstHit(text, at, rules, nested);
    append(nodes, match?.node ?? { kind: 'text', text: text[at] ?? '' });
    at = match?.end ?? at + 1;
  }
  return nodes;
}

function append(nodes: Inline[], node: Inline): void {
  const last = nodes.at(-1);
  if (node.kind === 'text' && last?.kind === 'text') {
    nodes[nodes.length - 1] = { kind: 'text', text: last.text + node.text };
  } else nodes.push(node);
}

function firstHit(
  text: string,
  at: number,
  rules: InlineRules,
  nested: (inner: string) => readonly Inline[],
): InlineHit | undefined {
  const char = text[at] ?? '';
  if (!Object.hasOwn(rules, char)) return undefined;
  for (const rule of rules[char] ?? []) {
    const match = rule(text, at, nested);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Matches a sticky regular expression at a position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Links a bare URL, without trailing punctuation of the sentence. */
export const bareUrl: InlineRule = (text, at) => {
  if (at > 0 && /[\w/]/.test(text[at - 1] ?? '')) return undefined;
  const match = matchAt(/https?:\/\/[^\s<>|`"]+/y, text, at);
  const url = match?.[0].replace(/[.,;:!?'*_~)\]]+$/, '');
  if (url === undefined || !/^https?:\/\/\w/.test(url)) return undefined;
  return {
    node: { kind: 'link', url, children: [{ kind: 'text', text: url }] },
    end: at + url.length,
  };
};

/** Matches `code` between single backticks on one line. */
export const codeSpan: InlineRule = (text, at) => {
  const match = matchAt(/`([^`\n]+)`/y, text, at);
  if (match === undefined) return undefined;
  return { node: { kind: 'code', text: match[1] ?? '' }, end: at + match[0].length };
};

/** Creates the rule for text between a pair of markers. */
export function delimited(
  marker: string,
  kind: 'strong' | 'emphasis' | 'strike',
  options: { wholeWords: boolean },
): InlineRule {
  return (text, at, nested) => {
    if (!opens(text, at, marker, options.wholeWords)) return undefined;
    const start = at + marker.length;
    const close = findClose(text, start, marker, options.wholeWords);
    if (close === undefined) return undefined;
    const children = nested(text.slice(start, close));
    return { node: { kind, children }, end: close + marker.length };
  };
}

const WORD = /[\p{L}\p{N}_]/u;

function opens(text: string, at: number, marker: string, wholeWords: boolean): boolean {
  if (!text.startsWith(marker, at)) return false;
  const next = text[at + marker.length];
  if (next === undefined || /\s/.test(next) || next === marker[0]) return false;
  return !(wholeWords && at > 0 && WORD.test(text[at - 1] ?? ''));
}

function findClose(text: string, start: number, marker: string, wholeWords: boolean) {
  let at = start;
  while (at < text.length && text[at] !== '\n') {
    if (closes(text, at, marker, wholeWords) && at > start) return at;
    at = skipOpaque(text, at, marker);
  }
  return undefined;
}

function closes(text: string, at: number, marker: string, wholeWords: boolean): boolean {
  if (!text.startsWith(marker, at) || /\s/.test(text[at - 1] ?? ' ')) return false;
  const next = text[at + marker.length] ?? '';
  return !(isDoubled(text, at, marker) || (wholeWords && WORD.test(next)));
}

// Skips code, <…> and doubled markers: a marker inside them closes nothing.
function skipOpaque(text: string, at: number, marker: string): number {
  if (text[at] === '`' || text[at] === '<') {
    const opaque = matchAt(/`[^`\n]+`|<[^<>\n]+>/y, text, at);
    if (opaque !== undefined) return at + opaque[0].length;
  }
  return at + (isDoubled(text, at, marker) ? 2 : 1);
}

function isDoubled(text: string, at: number, marker: string): boolean {
  return marker.length === 1 && text[at] === marker && text[at + 1] === marker;
}
