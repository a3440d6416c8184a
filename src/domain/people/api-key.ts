/** Keys of programs. A key requests and never decides; of its secret only a hash is kept. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { matchesGlob } from '../text/glob.ts';

/** One program's key. It is replaced, never changed; `revision` grows by one with each change. */
export interface ApiKey {
  /** No secret: people name the key by it. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Ids of the only channels that it may use, the first by default. (Default when empty: whichever a request names.) */
  readonly channels: readonly string[];
  /** Id of the person for whom it asks. */
  readonly owner?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** The secret before a rotation, as long as it still works. */
  readonly earlier?: { readonly hash: string; readonly until: number };
  readonly revision: number;
}

/** What a program sends: the id of its key, and the secret. */
export interface KeyToken {
  readonly id: string;
  readonly secret: string;
}

/** Why a key does not open anything. */
export type KeyProblem = 'unknown' | 'revoked' | 'expired';

const TOKEN = /^csk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
const SCOPE = /^(?:request|request:[A-Za-z0-9_.:/*-]{1,128}|read|requesters)$/;

/** Reads a token; undefined for anything that `encodeKeyToken` did not write. */
export function parseKeyToken(text: string): KeyToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Writes a token as programs send it. */
export function encodeKeyToken({ id, secret }: KeyToken): string {
  return `csk_${id}_${secret}`;
}

/** Makes the id of a new key. */
export function newKeyId(): string {
  return randomBytes(8).toString('hex');
}

/** Makes a secret of 256 random bits. */
export function newKeySecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a secret as it is stored. */
export function hashKeySecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Tells whether a text is a scope: `request`, `request:<tools>`, `read` or `requesters`. */
export function isKeyScope(text: string): boolean {
  return SCOPE.test(text);
}

/** Says what keeps a secret from opening the key; undefined when it opens it. Only whoever knows a secret learns more than `unknown`. */
export function keyProblem(key: ApiKey, secret: string, now: number): KeyProblem | undefined {
  const hash = hashKeySecret(secret);
  const isNow = isSameHash(hash, key.hash);
  const isEarlier = key.earlier !== undefined && isSameHash(hash, key.earlier.hash);
  if (!isNow && !isEarlier) return 'unknown';
  if (key.revokedAt !== undefined) return 'revoked';
  const until = isNow
    ? key.expiresAt
    : Math.min(key.earlier?.until ?? 0, key.expiresAt ?? Infinity);
  return until !== undefined && now >= until ? 'expired' : undefined;
}

/** Tells whether a key still opens anything to whoever knows its secret. */
export function keyState(
  { expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>,
  now: number,
): 'works' | 'revoked' | 'expired' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'works';
}

/** Tells whether a key may ask for calls of a tool; of any tool, where none is named. */
export function mayRequest({ scopes }: Pick<ApiKey, 'scopes'>, tool?: string): boolean {
  return scopes.some((scope) => {
    if (scope === 'request') return true;
    if (!scope.startsWith('request:')) return false;
    return tool === undefined || matchesGlob(scope.slice('request:'.length), tool);
  });
}

/** Tells whether a key may read the calls of others, secrets hidden. */
export function mayRead({ scopes }: Pick<ApiKey, 'scopes'>): boolean {
  return scopes.includes('read');
}

/** Tells whether a key may ask for others than its owner. */
export function mayNameRequesters({ scopes }: Pick<ApiKey, 'scopes'>): boolean {
  return scopes.includes('requesters');
}

/** Returns a key that opens nothing any more. */
export function revokeKey(key: ApiKey, now: number): ApiKey {
  const { earlier: _gone, ...rest } = key;
  return { ...rest, revokedAt: now, revision: key.revision + 1 };
}

/** Returns a key with another secret; the one of before works until a time, if one is given. */
export function rotateKey(key: ApiKey, hash: string, earlierUntil?: number): ApiKey {
  const { earlier: _gone, ...rest } = key;
  return {
    ...rest,
    hash,
    ...(earlierUntil !== undefined && { earlier: { hash: key.hash, until: earlierUntil } }),
    revision: key.revision + 1,
  };
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
