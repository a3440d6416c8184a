import type { JsonValue } from '../../domain/json.ts';

/** A text without its secrets, and how many were taken out. */
export interface MaskedText {
  readonly text: string;
  readonly masked: number;
}

/** Tokens that are known by their looks, each with what it is called. */
const TOKENS: readonly (readonly [name: string, shape: RegExp])[] = [
  [
    'a private key',
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  ],
  ['a Slack token', /\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}/g],
  ['a GitHub token', /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g],
  ['a GitLab token', /\bglpat-[A-Za-z0-9_-]{16,}/g],
  ['an AWS key id', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['a Google key', /\bAIza[A-Za-z0-9_-]{30,}/g],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g],
  ['an API key', /\bsk-[A-Za-z0-9_-]{16,}/g],
  ['a JSON Web Token', /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g],
  ['a bearer token', /(?<=\bBearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi],
  ['a password in a URL', /(?<=:\/\/[^\s:/@]{1,64}:)[^\s:/@]{1,128}(?=@)/g],
];

/** Takes out whatever looks like a well-known token, and every given secret, and says so in its place. */
export function maskTokens(text: string, secrets: readonly string[] = []): MaskedText {
  let masked = 0;
  let result = text;
  const hide = (name: string) => (found: string) => {
    masked += 1;
    return `⟨hidden: ${name}, ${found.length} characters⟩`;
  };
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET) result = result.replaceAll(secret, hide('a secret'));
  }
  for (const [name, shape] of TOKENS) result = result.replace(shape, hide(name));
  return { text: result, masked };
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

/** Lists the texts that stand at the secret paths of the arguments, the longest first. */
export function secretTexts(args: JsonValue, secrets: readonly string[]): readonly string[] {
  return leavesOf(args, [])
    .filter(({ path }) => isSecretPath(path, secrets))
    .map(({ value }) => String(value))
    .sort((a, b) => b.length - a.length);
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
