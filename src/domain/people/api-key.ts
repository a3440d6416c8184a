/**
 * API keys of programs. A key can request calls but never decide. Only the secret's hash is stored.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { matchesGlob } from '../text/glob.ts';

/** A program's key. Immutable: each change makes a new object with `revision` + 1. */
export interface ApiKey {
  /** Public: people refer to the key by it. */
  readonly id: string;
  readonly name: string;
  /** Hex SHA-256 of the secret. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Ids of the channels it may use, the first by default. (Default when empty: any channel.) */
  readonly channels: readonly string[];
  /** Id of the person on whose behalf it makes calls. */
  readonly owner?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** The previous secret after a rotation, while it still works. */
  readonly earlier?: { readonly hash: string; readonly until: number };
  readonly revision: number;
}

/** The parts of a token that a program sends. */
export interface KeyToken {
  readonly id: string;
  readonly secret: string;
}

/** Why a key is rejected. */
export type KeyProblem = 'unknown' | 'revoked' | 'expired';

const TOKEN = /^csk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
const SCOPE = /^(?:request|request:[A-Za-z0-9_.:/*-]{1,128}|read|requesters)$/;

/** Parses a token; undefined for anything that `encodeKeyToken` did not write. */
export function parseKeyToken(text: string): KeyToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Encodes a token as programs send it. */
export function encodeKeyToken({ id, secret }: KeyToken): string {
  return `csk_${id}_${secret}`;
}

/** Creates the id of a new key. */
export function newKeyId(): string {
  return randomBytes(8).toString('hex');
}

/** Creates a secret of 256 random bits. */
export function newKeySecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a secret for storage. */
export function hashKeySecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns whether a text is a scope: `request`, `request:<tools>`, `read` or `requesters`. */
export function isKeyScope(text: string): boolean {
  return SCOPE.test(text);
}

/**
 * Explains why a secret is rejected; undefined if accepted. Without a valid secret the answer is
 * only `unknown`.
 */
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

/** Returns the state of a key. */
export function keyState(
  { expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>,
  now: number,
): 'works' | 'revoked' | 'expired' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'works';
}

/** Returns whether a key may request calls of a tool, or of any tool if none is given. */
export function mayRequest({ scopes }: Pick<ApiKey, 'scopes'>, tool?: string): boolean {
  return scopes.some((scope) => {
    if (scope === 'request') return true;
    if (!scope.startsWith('request:')) return false;
    return tool === undefined || matchesGlob(scope.slice('request:'.length), tool);
  });
}

/** Returns whether a key may read the calls of others, with secrets hidden. */
export function mayRead({ scopes }: Pick<ApiKey, 'scopes'>): boolean {
  return scopes.includes('read');
}

/** Returns whether a key may name requesters other than its owner. */
export function mayNameRequesters({ scopes }: Pick<ApiKey, 'scopes'>): boolean {
  return scopes.includes('requesters');
}

/** Returns the key, revoked. */
export function revokeKey(key: ApiKey, now: number): ApiKey {
  const { earlier: _earlier, ...rest } = key;
  return { ...rest, revokedAt: now, revision: key.revision + 1 };
}

/** Returns a key with another secret. The previous one works until `earlierUntil`, if given. */
export function rotateKey(key: ApiKey, hash: string, earlierUntil?: number): ApiKey {
  const { earlier: _earlier, ...rest } = key;
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
