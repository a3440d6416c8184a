/** Tokens recognized by their shape. Anyone can write text that looks like one. */

/** The shape of a kind of token. */
interface TokenShape {
  readonly name: string;
  /** A substring of every such token, as a quick test. */
  readonly hint: RegExp;
  readonly shape: RegExp;
  /** Returns where in a match the token begins, or -1. (Default: at its start.) */
  readonly beginIn?: (match: string) => number;
}

/** Each shape has a start boundary or length limits, so that matching stays linear. */
const TOKENS: readonly TokenShape[] = [
  {
    name: 'a private key',
    hint: /-----BEGIN/,
    shape:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{40,}-----END [A-Z ]*PRIVATE KEY-----/g,
  },
  {
    name: 'a Slack token',
    hint: /x(?:ox[a-z]|app)-/,
    shape: /\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}/g,
  },
  {
    name: 'a GitHub token',
    hint: /gh[opsur]_|github_pat_/,
    shape: /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  },
  { name: 'a GitLab token', hint: /glpat-/, shape: /\bglpat-[A-Za-z0-9_-]{16,}/g },
  { name: 'an AWS key id', hint: /AKIA|ASIA/, shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: 'a Google key', hint: /AIza/, shape: /\bAIza[A-Za-z0-9_-]{30,}/g },
  {
    name: 'a Stripe key',
    hint: /[rs]k_(?:live|test)_/,
    shape: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  },
  { name: 'an API key', hint: /sk-/, shape: /(?<![\w-])[\w-]{23,}/g, beginIn: beginOfKey },
  { name: 'a JSON Web Token', hint: /eyJ/, shape: /(?<![\w.-])[\w.-]{20,}/g, beginIn: beginOfJwt },
  {
    name: 'a bearer token',
    hint: /bearer\s/i,
    shape: /\bBearer\s{1,16}[\w.~+/-]{12,}=*/gi,
    beginIn: beginOfBearer,
  },
  {
    name: 'a password in a URL',
    hint: /:\/\//,
    shape: /:\/\/[^\s:/@]{1,64}:[^\s:/@]{1,128}(?=@)/g,
    beginIn: (match) => match.lastIndexOf(':') + 1,
  },
];

/** Lower-case words with a number are not keys. */
function beginOfKey(match: string): number {
  const at = match.search(/\bsk-/);
  const key = at === -1 ? '' : match.slice(at);
  return key.length >= 23 && /[0-9]/.test(key) && /[A-Z]/.test(key) ? at : -1;
}

/** A JSON Web Token: three parts separated by dots, perhaps with a prefix. */
function beginOfJwt(match: string): number {
  const parts = match.split('.');
  let from = 0;
  for (const [i, part] of parts.entries()) {
    const at = part.search(/\beyJ/);
    const isHead = at !== -1 && part.length - at >= 11 && (parts[i + 1]?.length ?? 0) >= 8;
    if (isHead && i + 2 < parts.length) return from + at;
    from += part.length + 1;
  }
  return -1;
}

function beginOfBearer(match: string): number {
  const at = match.search(/\s\S/) + 1;
  const token = match.slice(at);
  return /[0-9]/.test(token) && /[a-z]/i.test(token) ? at : -1;
}

/** A token in a text. */
export interface FoundToken {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Its name for people. */
  readonly name: string;
  readonly secret: string;
}

/** One quick test rules out most texts. */
const ANY_HINT = new RegExp(TOKENS.map(({ hint }) => hint.source).join('|'), 'i');
/** After so many tokens of a shape, the rest of the text counts as one more. */
const MAX_TOKENS = 500;

/** Finds tokens, shape by shape, in linear time. */
export function findTokens(text: string): readonly (readonly FoundToken[])[] {
  if (!ANY_HINT.test(text)) return [];
  return TOKENS.filter(({ hint }) => hint.test(text)).map((token) => findShape(text, token));
}

function findShape(
  text: string,
  { name, shape, beginIn = () => 0 }: TokenShape,
): readonly FoundToken[] {
  const found: FoundToken[] = [];
  for (const { index, 0: match } of text.matchAll(shape)) {
    const begin = beginIn(match);
    if (begin === -1) continue;
    const from = index + begin;
    const isLast = found.length === MAX_TOKENS;
    const to = isLast ? text.length : index + match.length;
    found.push({ from, to, name, secret: text.slice(from, to) });
    if (isLast) break;
  }
  return found;
}
