import type { JsonValue } from '../../domain/json.ts';

/** A text without its secrets, and how many were taken out. */
export interface MaskedText {
  readonly text: string;
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
}

/** Tokens that are known by their looks, each with what it is called. */
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
  ['an API key', /\bsk-(?=[\w-]*[0-9])(?=[\w-]*[A-Z])[\w-]{20,}/g],
  ['a JSON Web Token', /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g],
  ['a bearer token', /(?<=\bBearer\s+)(?=[\w.~+/-]*[0-9])(?=[\w.~+/-]*[a-z])[\w.~+/-]{12,}=*/gi],
  ['a password in a URL', /(?<=:\/\/[^\s:/@]{1,64}:)[^\s:/@]{1,128}(?=@)/g],
];

/** Takes out every declared secret, and what looks like a well-known token, and says so in its place. */
export function maskTokens(text: string, { secrets, showsLookAlikes }: Masking): MaskedText {
  let masked = 0;
  let guessed = 0;
  let result = text;
  for (const secret of secrets) {
    result = result.replaceAll(secret, () => {
      masked += 1;
      return hidden('a secret', secret);
    });
  }
  for (const [name, shape] of showsLookAlikes ? [] : TOKENS) {
    result = result.replace(shape, (found) => {
      guessed += 1;
      return hidden(name, found);
    });
  }
  return { text: result, masked, guessed };
}

function hidden(name: string, text: string): string {
  return `⟨hidden: ${name}, ${text.length} characters⟩`;
}

/** Shorter secrets can't be searched for without tearing words apart; their own field stays masked. */
const MIN_SECRET = 4;

/** Tells whether an argument lies at, or in, one of the dotted paths; a list's items are passed through. */
export function isSecretPath(
  path: readonly (string | number)[],
  secrets: readonly string[],
): boolean {
  const names = path.filter((step) => typeof step === 'string');
  return secrets.some((secret) => {
    const steps = secret.split('.').filter((step) => step !== '*');
    return steps.length <= names.length && steps.every((step, i) => step === names[i]);
  });
}

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

interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: string | number | boolean | null;
}

function leavesOf(value: JsonValue, path: Leaf['path']): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]: [string, JsonValue]) =>
    leavesOf(each, [...path, isList ? Number(key) : key]),
  );
}
