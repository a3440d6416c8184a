/** Tokens of people, made by the identity provider of whoever runs the app: who holds one speaks for its subject. */
import { createRemoteJWKSet, errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Clock } from '../../../domain/ports/clock.ts';

/** Whose tokens are taken. */
export interface PersonTokenSettings {
  /** Where the keys are that sign them, or the secret that does. */
  readonly by:
    | { readonly kind: 'jwks'; readonly url: string }
    | { readonly kind: 'secret'; readonly secret: string };
  readonly audience: string;
  readonly issuer?: string;
}

/** What a token says. */
export type ReadToken =
  | { readonly kind: 'person'; readonly user: string; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly why: string }
  /** The keys could not be fetched: it may be otherwise soon. */
  | { readonly kind: 'unclear' };

export type ReadPersonToken = (token: string) => Promise<ReadToken>;

/** Only these: whoever may choose the algorithm could take a public key for a secret. */
const BY_SECRET = ['HS256'];
const BY_KEYS = ['RS256', 'ES256', 'EdDSA'];
const FETCH_MS = 3_000;
const TOLERANCE_S = 5;
/** A token can't be taken back, so one that leaks has to end by itself. */
const MAX_S = 24 * 3_600;

/** Creates the reader of people's tokens. */
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
      // The library reads it as a text, and does not look.
      const sub: unknown = payload.sub;
      if (typeof sub !== 'string' || !/^[UW][A-Z0-9]{2,39}$/.test(sub)) {
        return { kind: 'refused', why: 'Its subject (sub) is not the id of a person in Slack.' };
      }
      if (exp > clock.now() / 1_000 + MAX_S + TOLERANCE_S) {
        const why = 'It expires (exp) in more than 24 hours: make tokens that live a day at most.';
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
    return { kind: 'refused', why: `Its claim “${error.claim}” is missing or not the right one.` };
  }
  const isOfToken =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  if (isOfToken)
    return { kind: 'refused', why: 'It is not signed by the key that is trusted here.' };
  return { kind: 'unclear' };
}
