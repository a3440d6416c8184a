/**
 * Masks secrets in text, for all outputs. Nobody sees what the operator declares secret. What a
 * third-party tool declares, or what only looks like a secret, is not verified. It is masked until
 * a person who may decide opens the call.
 */

import { canonicalJson, type JsonValue } from '../json/json.ts';
import { createTextFinder, NO_TEXTS, type TextFinder } from '../text/text-finder.ts';
import type { SecretMark } from './secret-mark.ts';
import { isSecretPath, type SecretPaths } from './secret-paths.ts';
import { secretTextsAt } from './secret-texts.ts';
import { findTokens } from './token-shapes.ts';

/** How a call's arguments and texts are shown to one reader. */
export interface Masking {
  readonly paths: SecretPaths;
  /** Finds the secret values outside their own arguments too. */
  readonly hidden: TextFinder;
  readonly claimed: TextFinder;
  /** Whether parts that are masked until opened are shown: for people who may decide. */
  readonly reveals: boolean;
  /** Computes the marks of masked secrets; absent if only the counts are needed. */
  readonly mark?: SecretMark | undefined;
}

/** Number of secrets in a text or call, revealed ones included. */
export interface SecretCounts {
  /** Declared by the operator; shown to nobody. */
  readonly hidden: number;
  /** Non-secret arguments that repeat one of those. They run, but nobody sees them. */
  readonly repeated: number;
  /** Declared by a third-party tool. */
  readonly claimed: number;
  /** Text that only looks like a secret. */
  readonly guessed: number;
}

export const NO_SECRETS: SecretCounts = { hidden: 0, repeated: 0, claimed: 0, guessed: 0 };

/** Adds up counts. */
export function addCounts(...all: readonly SecretCounts[]): SecretCounts {
  // Fast path: most texts have no secrets.
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

/** Returns whether these counts require a person to open the call before approving. */
export function needsOpening({ claimed, guessed, repeated }: SecretCounts): boolean {
  return claimed + guessed + repeated > 0;
}

/** A text without its secrets. */
export interface MaskedText {
  /** Alternates between original text and placeholders for secrets. */
  readonly parts: readonly string[];
  readonly secrets: SecretCounts;
}

const NO_PATHS: SecretPaths = { hidden: [], claimed: [] };

/** Creates the masking of texts that belong to no call: only look-alikes are masked. */
export function plainMasking(how: Pick<Masking, 'reveals' | 'mark'>): Masking {
  return { ...how, paths: NO_PATHS, hidden: NO_TEXTS, claimed: NO_TEXTS };
}

/**
 * Creates the masking of arguments and the texts beside them. Secret values are masked wherever
 * they occur.
 */
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

/** A call may repeat a secret thousands of times, and each mark is a hash. Cached per masking. */
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
  /** Name shown in the placeholder. */
  readonly name: string;
  /** The secret from which the mark is computed. */
  readonly secret: string;
}

/** Nobody compares more marks than this. */
const MAX_MARKS = 500;

/** Masks the secrets in a text and counts them. */
export function maskText(text: string, masking: Masking): MaskedText {
  const spans = findSecrets(text, masking);
  if (spans.length === 0) return { parts: [text], secrets: NO_SECRETS };
  const parts: string[] = [];
  const counts = { hidden: 0, claimed: 0, guessed: 0 };
  let at = 0;
  for (const [i, { from, to, kind, name, secret }] of spans.entries()) {
    counts[kind] += 1;
    if (masking.reveals && kind !== 'hidden') continue;
    // A mark is a hash, so only the first ones get one.
    parts.push(
      text.slice(at, from),
      formatMask(name, secret, i < MAX_MARKS ? masking.mark : undefined),
    );
    at = to;
  }
  parts.push(text.slice(at));
  return { parts, secrets: { ...NO_SECRETS, ...counts } };
}

/** Masks a text and returns it as one string. */
export function maskWholeText(text: string, masking: Masking): string {
  return maskText(text, masking).parts.join('');
}

/** Returns secrets in order. On overlap, the operator's come first and look-alikes last. */
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

/** Adds spans where `taken` leaves gaps. Both lists are sorted and free of overlaps. */
function fillGaps(taken: readonly Span[], more: readonly Span[]): readonly Span[] {
  if (taken.length === 0) return more;
  const all: Span[] = [...taken];
  let next = 0;
  for (const span of more) {
    while ((taken[next]?.to ?? span.to) <= span.from) next += 1;
    let { from } = span;
    // The last one may also overlap the next span.
    for (let at = next; from < span.to; at += 1) {
      const other = taken[at];
      const to = Math.min(other?.from ?? span.to, span.to);
      if (to > from) all.push({ ...span, from, to });
      from = Math.max(from, other?.to ?? span.to, to);
    }
  }
  return all.sort((a, b) => a.from - b.from);
}

/** Earlier shapes take precedence over later ones. */
function findLookAlikes(text: string): readonly Span[] {
  let found: readonly Span[] = [];
  for (const tokens of findTokens(text)) {
    if (tokens.length === 0) continue;
    found = fillGaps(
      found,
      tokens.map(({ from, to, name, secret }) => ({ from, to, kind: 'guessed', name, secret })),
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

/** Returns who declares an argument secret; undefined if nobody does. */
export function secretAt(path: Path, { paths }: Pick<Masking, 'paths'>): Declared | undefined {
  if (isSecretPath(path, paths.hidden)) return 'hidden';
  return isSecretPath(path, paths.claimed) ? 'claimed' : undefined;
}

/** A secret argument as one reader sees it. */
export type SecretArgument =
  /** `words` replace the value. */
  | { readonly kind: 'masked'; readonly words: string; readonly secrets: SecretCounts }
  /** The value is shown; only operator secrets inside it are masked. */
  | { readonly kind: 'revealed'; readonly masking: Masking; readonly secrets: SecretCounts };

/** Returns how the value at a path is shown; undefined if it is not secret. */
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

/** Returns the placeholder for a secret value. */
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

/** Masks a non-secret argument. Operator secrets that it repeats are counted as `repeated`. */
export function maskArgument(text: string, masking: Masking): MaskedText {
  const { parts, secrets } = maskText(text, masking);
  if (secrets.hidden === 0) return { parts, secrets };
  return { parts, secrets: { ...secrets, hidden: 0, repeated: secrets.hidden } };
}

/** Counts the secrets in arguments, keys included. */
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

/** Returns whether a text contains a placeholder for a secret. */
export function hasSecretMark(text: string): boolean {
  return /⟨(?:secret, not shown|hidden: [^⟩]{1,40}), mark [0-9a-f]+⟩/.test(text);
}
