/**
 * Masks what is secret in a text: the one place for all surfaces. What the operator declares secret
 * is shown to nobody. What an outside tool declares, and what only looks like a secret, could be
 * anything: it is masked until a person who may decide opens the call.
 */

import { canonicalJson, type JsonValue } from '../json/json.ts';
import { createTextFinder, NO_TEXTS, type TextFinder } from '../text/text-finder.ts';
import type { SecretMark } from './secret-mark.ts';
import { isSecretPath, type SecretPaths } from './secret-paths.ts';
import { secretTextsAt } from './secret-texts.ts';
import { findTokens } from './token-shapes.ts';

/** How the arguments and texts of a call are shown to one reader. */
export interface Masking {
  readonly paths: SecretPaths;
  /** Find the values at those paths wherever else they stand. */
  readonly hidden: TextFinder;
  readonly claimed: TextFinder;
  /** Whether what is masked until opened is shown: to a person who may decide. */
  readonly reveals: boolean;
  /** Marks what is masked; absent where only the counts are asked for. */
  readonly mark?: SecretMark | undefined;
}

/** How much of a text, or of a call, is secret; what is revealed is counted too. */
export interface SecretCounts {
  /** Secrets of the operator: not shown to anybody. */
  readonly hidden: number;
  /** Arguments that are not secret and repeat one of those: a part of what runs is not shown to anybody. */
  readonly repeated: number;
  /** What an outside tool declares secret. */
  readonly claimed: number;
  /** What only looks like a secret. */
  readonly guessed: number;
}

export const NO_SECRETS: SecretCounts = { hidden: 0, repeated: 0, claimed: 0, guessed: 0 };

/** Adds up counts. */
export function addCounts(...all: readonly SecretCounts[]): SecretCounts {
  // Most texts have none.
  return all.reduce((sum, each) => {
    if (each === NO_SECRETS) return sum;
    if (sum === NO_SECRETS) return each;
    return {
      hidden: sum.hidden + each.hidden,
      repeated: sum.repeated + each.repeated,
      claimed: sum.claimed + each.claimed,
      guessed: sum.guessed + each.guessed,
    };
  }, NO_SECRETS);
}

/** Tells whether a person has to open a call with such counts before they can approve it. */
export function needsOpening({ claimed, guessed, repeated }: SecretCounts): boolean {
  return claimed + guessed + repeated > 0;
}

/** A text without its secrets. */
export interface MaskedText {
  /** In turn what stays of the text, and what stands for a secret. */
  readonly parts: readonly string[];
  readonly secrets: SecretCounts;
}

const NO_PATHS: SecretPaths = { hidden: [], claimed: [] };

/** The masking of texts that belong to no call: what looks like a secret is masked, or everything is shown. */
export function plainMasking(how: Pick<Masking, 'reveals' | 'mark'>): Masking {
  return { ...how, paths: NO_PATHS, hidden: NO_TEXTS, claimed: NO_TEXTS };
}

/** Makes the masking of arguments and all that is shown beside them: their values at the secret paths are masked wherever they stand. */
export function maskingOf(
  args: readonly JsonValue[],
  paths: SecretPaths,
  how: Pick<Masking, 'reveals' | 'mark'>,
): Masking {
  const finderOf = (secret: readonly string[]) =>
    secret.length === 0 ? NO_TEXTS : createTextFinder(secretTextsAt(args, secret));
  const finders = { hidden: finderOf(paths.hidden), claimed: finderOf(paths.claimed) };
  return { reveals: how.reveals, mark: how.mark && memoizeMark(how.mark), paths, ...finders };
}

/** A call may repeat one secret thousands of times, and each mark is a hash. What is remembered goes with the masking. */
function memoizeMark(mark: SecretMark): SecretMark {
  const known = new Map<string, string>();
  return (secret) => {
    const made = known.get(secret) ?? mark(secret);
    known.set(secret, made);
    return made;
  };
}

type Kind = 'hidden' | 'claimed' | 'guessed';

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  /** What it is called in its place. */
  readonly name: string;
  /** The secret that its mark is made of. */
  readonly secret: string;
}

/** Nobody compares the marks of more. */
const MAX_MARKS = 500;

/** Masks a text, and counts what is secret in it. */
export function maskText(text: string, masking: Masking): MaskedText {
  const spans = findSecrets(text, masking);
  if (spans.length === 0) return { parts: [text], secrets: NO_SECRETS };
  const parts: string[] = [];
  let at = 0;
  for (const [i, { from, to, kind, name, secret }] of spans.entries()) {
    if (masking.reveals && kind !== 'hidden') continue;
    // A mark is a hash: of very many secrets, the first are marked.
    parts.push(
      text.slice(at, from),
      formatMask(name, secret, i < MAX_MARKS ? masking.mark : undefined),
    );
    at = to;
  }
  const count = (kind: Kind) => spans.filter((span) => span.kind === kind).length;
  const secrets = {
    ...NO_SECRETS,
    hidden: count('hidden'),
    claimed: count('claimed'),
    guessed: count('guessed'),
  };
  return { parts: [...parts, text.slice(at)], secrets };
}

/** Masks a text whole into one. */
export function maskWholeText(text: string, masking: Masking): string {
  return maskText(text, masking).parts.join('');
}

/** In order. Where secrets of two kinds overlap, the operator's come first, and what looks like one last. */
function findSecrets(text: string, { hidden, claimed }: Masking): readonly Span[] {
  const own = findDeclared(text, hidden, 'hidden');
  const claims = fillGaps(own, findDeclared(text, claimed, 'claimed'));
  return fillGaps(claims, findLookAlikes(text));
}

function findDeclared(text: string, finder: TextFinder, kind: Declared): readonly Span[] {
  const found = finder.find(text);
  return found.map(({ from, to, owner }) => ({ from, to, kind, name: NAMES[kind], secret: owner }));
}

const NAMES: Readonly<Record<Kind, string>> = {
  hidden: 'a secret',
  claimed: 'marked as secret',
  guessed: 'a secret',
};

/** Adds spans to others; of each, what those leave. Each of the two is in order and overlaps nothing of its own. */
function fillGaps(taken: readonly Span[], more: readonly Span[]): readonly Span[] {
  if (taken.length === 0) return more;
  const all: Span[] = [...taken];
  let next = 0;
  for (const span of more) {
    while ((taken[next]?.to ?? span.to) <= span.from) next += 1;
    let { from } = span;
    // The last of them may reach into the next span too.
    for (let at = next; from < span.to; at += 1) {
      const other = taken[at];
      const to = Math.min(other?.from ?? span.to, span.to);
      if (to > from) all.push({ ...span, from, to });
      from = Math.max(from, other?.to ?? span.to, to);
    }
  }
  return all.sort((a, b) => a.from - b.from);
}

/** Of what a later shape finds, only what the earlier ones leave. */
function findLookAlikes(text: string): readonly Span[] {
  let found: readonly Span[] = [];
  for (const tokens of findTokens(text)) {
    if (tokens.length === 0) continue;
    found = fillGaps(
      found,
      tokens.map((token) => ({ ...token, kind: 'guessed' as const })),
    );
  }
  return found;
}

function formatMask(name: string, secret: string, mark: SecretMark | undefined): string {
  return `⟨hidden: ${name}${formatSecretMark(secret, mark)}⟩`;
}

function formatSecretMark(secret: string, mark: SecretMark | undefined): string {
  return mark === undefined ? '' : `, mark ${mark(secret)}`;
}

type Path = readonly (string | number)[];
type Declared = Exclude<Kind, 'guessed'>;

/** Tells who declares an argument secret; undefined where nobody does. */
export function secretAt(path: Path, { paths }: Pick<Masking, 'paths'>): Declared | undefined {
  if (isSecretPath(path, paths.hidden)) return 'hidden';
  return isSecretPath(path, paths.claimed) ? 'claimed' : undefined;
}

/** An argument that is secret, as one reader is shown it. */
export type SecretArgument =
  /** The words stand for its value. */
  | { readonly kind: 'masked'; readonly words: string; readonly secrets: SecretCounts }
  /** Its value is shown, masked only for what is in it of the operator's. */
  | { readonly kind: 'revealed'; readonly masking: Masking; readonly secrets: SecretCounts };

/** Says how the value at a path is shown; undefined where it is not secret. */
export function secretArgument(
  path: Path,
  value: JsonValue,
  masking: Masking,
): SecretArgument | undefined {
  const kind = secretAt(path, masking);
  if (kind === undefined) return undefined;
  const secrets = { ...NO_SECRETS, [kind]: 1 };
  if (kind === 'claimed' && masking.reveals) {
    const paths = { ...masking.paths, claimed: [] };
    return { kind: 'revealed', masking: { ...masking, paths, claimed: NO_TEXTS }, secrets };
  }
  return { kind: 'masked', words: secretPlaceholder(kind, value, masking), secrets };
}

/** Says what stands in the place of a secret value. */
export function secretPlaceholder(
  kind: Declared,
  value: JsonValue,
  { mark }: Pick<Masking, 'mark'>,
): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  const what = kind === 'hidden' ? 'secret, not shown' : 'hidden: marked as secret';
  return `${what}${formatSecretMark(text, mark)}`;
}

/** Lists the paths whose values are masked for this reader. */
export function maskedPaths({
  paths,
  reveals,
}: Pick<Masking, 'paths' | 'reveals'>): readonly string[] {
  return reveals ? paths.hidden : [...paths.hidden, ...paths.claimed];
}

/** Masks a text of an argument that is not secret: what it repeats of the operator's secrets is counted as that. */
export function maskArgument(text: string, masking: Masking): MaskedText {
  const { parts, secrets } = maskText(text, masking);
  if (secrets.hidden === 0) return { parts, secrets };
  return { parts, secrets: { ...secrets, hidden: 0, repeated: secrets.hidden } };
}

/** Counts what is secret in arguments, names included. */
export function countSecrets(args: JsonValue, masking: Masking): SecretCounts {
  let total = NO_SECRETS;
  for (const counts of countsIn(args, masking, [])) {
    if (counts !== NO_SECRETS) total = addCounts(total, counts);
  }
  return total;
}

function* countsIn(value: JsonValue, masking: Masking, path: Path): Generator<SecretCounts> {
  const own = secretArgument(path, value, masking);
  if (own) {
    yield own.secrets;
    return;
  }
  if (typeof value !== 'object' || value === null) {
    yield maskArgument(String(value), masking).secrets;
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value) as [string, JsonValue][]) {
    if (!isList) yield maskArgument(key, masking).secrets;
    yield* countsIn(each, masking, [...path, isList ? Number(key) : key]);
  }
}

/** Tells whether a text holds what stands in the place of a secret. */
export function hasSecretMark(text: string): boolean {
  return /⟨(?:secret, not shown|hidden: [^⟩]{1,40}), mark [0-9a-f]+⟩/.test(text);
}
