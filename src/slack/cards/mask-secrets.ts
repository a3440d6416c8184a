import { canonicalJson, type JsonValue } from '../../domain/json.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';

/** A text without its secrets, and how many were taken out. */
export interface MaskedText {
  /** In turn what stays of the text, and what stands for a secret. */
  readonly parts: readonly string[];
  /** Secrets that the tool declares. */
  readonly masked: number;
  /** What only looks like a secret: it may be anything, so nobody approves it unseen. */
  readonly guessed: number;
}

/** How a text is shown. */
export interface Masking {
  /** Texts that stand at the tool's secret paths. */
  readonly secrets: readonly string[];
  /** Whether what only looks like a secret is shown: to the person who has to decide on it. */
  readonly showsLookAlikes: boolean;
  /** Marks what is masked; absent where only the counts are asked for. */
  readonly mark?: SecretMark;
}

/** Which paths are secret, and how the texts at the others are masked. */
export interface ArgsView {
  readonly paths: readonly string[];
  readonly masking: Masking;
}

/** Tokens that are known by their looks, each with what it is called. What is looked for ahead or behind has a bound: else long texts that are no token would take minutes. */
const TOKENS: readonly (readonly [name: string, shape: RegExp])[] = [
  [
    'a private key',
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{40,}-----END [A-Z ]*PRIVATE KEY-----/g,
  ],
  ['a Slack token', /\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}/g],
  ['a GitHub token', /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g],
  ['a GitLab token', /\bglpat-[A-Za-z0-9_-]{16,}/g],
  ['an AWS key id', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['a Google key', /\bAIza[A-Za-z0-9_-]{30,}/g],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g],
  ['an API key', /\bsk-(?=[\w-]{0,200}[0-9])(?=[\w-]{0,200}[A-Z])[\w-]{20,}/g],
  ['a JSON Web Token', /\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g],
  [
    'a bearer token',
    /(?<=\bBearer\s{1,16})(?=[\w.~+/-]*[0-9])(?=[\w.~+/-]*[a-z])[\w.~+/-]{12,}=*/gi,
  ],
  ['a password in a URL', /(?<=:\/\/[^\s:/@]{1,64}:)[^\s:/@]{1,128}(?=@)/g],
];

/** Takes out every declared secret, and what looks like a well-known token, and says so in its place. */
export function maskTokens(text: string, { secrets, showsLookAlikes, mark }: Masking): MaskedText {
  let parts: readonly string[] = [text];
  for (const secret of secrets) {
    parts = takeOut(parts, literal(secret), () => sayMasked('a secret', secret, mark));
  }
  const masked = count(parts);
  for (const [name, shape] of showsLookAlikes ? [] : TOKENS) {
    parts = takeOut(parts, shape, (found) => sayMasked(name, found, mark));
  }
  return { parts, masked, guessed: count(parts) - masked };
}

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'g');
}

/** Every second part stands for a secret. */
function count(parts: readonly string[]): number {
  return (parts.length - 1) / 2;
}

function takeOut(
  parts: readonly string[],
  shape: RegExp,
  say: (found: string) => string,
): readonly string[] {
  return parts.flatMap((part, i) => {
    if (i % 2 === 1) return [part];
    const left: string[] = [];
    let from = 0;
    for (const match of part.matchAll(shape)) {
      left.push(part.slice(from, match.index), say(match[0]));
      from = match.index + match[0].length;
    }
    return [...left, part.slice(from)];
  });
}

function sayMasked(name: string, text: string, mark: SecretMark | undefined): string {
  const marked = mark === undefined ? '' : `, mark ${mark(text)}`;
  return `⟨hidden: ${name}${marked}⟩`;
}

/** Says that a secret argument is not shown, with its mark. */
export function saySecret(value: JsonValue, mark: SecretMark | undefined): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return mark === undefined ? 'secret, not shown' : `secret, not shown, mark ${mark(text)}`;
}

/** Tells whether a text holds what stands in the place of a secret. */
export function holdsMark(text: string): boolean {
  return /⟨(?:secret, not shown|hidden: [^⟩]{1,40}), mark [0-9a-f]+⟩/.test(text);
}

/** Shorter secrets can't be searched for without tearing words apart; their own field stays masked. */
const MIN_SECRET = 4;

/** Lists the texts that stand at the secret paths of the arguments, and how else they are written; the longest first. */
export function secretTexts(args: JsonValue, secrets: readonly string[]): readonly string[] {
  const texts = leavesOf(args, [])
    .filter(({ path, value }) => isSecretPath(path, secrets) && typeof value !== 'boolean')
    .flatMap(({ value }) => (value === null ? [] : waysToWrite(String(value))));
  return [...new Set(texts)]
    .filter(({ length }) => length >= MIN_SECRET)
    .sort((a, b) => b.length - a.length);
}

/** As it is, as JSON writes it, and line by line, as a difference shows it. */
function waysToWrite(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return [secret, JSON.stringify(secret).slice(1, -1), ...lines];
}

/** A value that holds no others, and where it stands. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: string | number | boolean | null;
}

/** Lists the values that hold no others. */
export function leavesOf(value: JsonValue, path: Leaf['path']): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]: [string, JsonValue]) =>
    leavesOf(each, [...path, isList ? Number(key) : key]),
  );
}
