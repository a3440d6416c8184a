/** Users' tokens, issued by the operator's identity provider. The bearer acts as the token's subject. */
import { createRemoteJWKSet, errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Clock } from '../../../domain/ports/clock.ts';

/** Which tokens are accepted. */
export interface PersonTokenSettings {
  /** The JWKS address of the signing keys, or the shared secret. */
  readonly by:
    | { readonly kind: 'jwks'; readonly url: string }
    | { readonly kind: 'secret'; readonly secret: string };
  readonly audience: string;
  readonly issuer?: string;
}

/** Result of checking a token. */
export type ReadToken =
  | { readonly kind: 'person'; readonly user: string; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly why: string }
  /** The signing keys could not be fetched; a retry may succeed. */
  | { readonly kind: 'unclear' };

export type ReadPersonToken = (token: string) => Promise<ReadToken>;

/** The algorithms are fixed: otherwise a caller could make a public key pass as an HMAC secret. */
const BY_SECRET = ['HS256'];
const BY_KEYS = ['RS256', 'ES256', 'EdDSA'];
const FETCH_MS = 3_000;
const TOLERANCE_S = 5;
/** A token can't be revoked, so its lifetime is limited. */
const MAX_S = 24 * 3_600;

/** Creates the check of users' tokens. */
export function createPersonTokens(
  { by, audience, issuer }: PersonTokenSettings,
  clock: Clock,
): ReadPersonToken {
  const isSecret = by.kind === 'secret';
  const rules = (): JWTVerifyOptions => ({
    audience,
    ...(issuer !== undefined && { issuer }),
    algorithms: isSecret ? BY_SECRET : BY_KEYS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(clock.now()),
  });
  const secret = isSecret ? new TextEncoder().encode(by.secret) : undefined;
  const keys = isSecret
    ? undefined
    : createRemoteJWKSet(new URL(by.url), { timeoutDuration: FETCH_MS });

  async function verify(token: string) {
    if (secret) return await jwtVerify(token, secret, rules());
    if (keys) return await jwtVerify(token, keys, rules());
    throw new Error('There is neither a secret nor a set of keys.');
  }

  return async function readPersonToken(token) {
    try {
      const { payload } = await verify(token);
      const { exp = 0 } = payload;
      // The library's type says string, but it does not check that.
      const sub: unknown = payload.sub;
      if (typeof sub !== 'string' || !/^[UW][A-Z0-9]{2,39}$/.test(sub)) {
        return { kind: 'refused', why: 'Its subject (sub) is not a Slack user ID.' };
      }
      if (exp > clock.now() / 1_000 + MAX_S + TOLERANCE_S) {
        const why =
          'It expires (exp) in more than 24 hours. Issue tokens that are valid for at most a day.';
        return { kind: 'refused', why };
      }
      return { kind: 'person', user: sub, expiresAt: exp * 1_000 };
    } catch (error) {
      return classifyTokenError(error);
    }
  };
}

function classifyTokenError(error: unknown): ReadToken {
  if (error instanceof errors.JWTExpired) return { kind: 'refused', why: 'It has expired.' };
  if (error instanceof errors.JWTClaimValidationFailed) {
    return { kind: 'refused', why: `Its claim “${error.claim}” is missing or wrong.` };
  }
  const isOfToken =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  if (isOfToken) return { kind: 'refused', why: 'It is not signed by a trusted key.' };
  return { kind: 'unclear' };
}
