/** One-time tokens that prove an approval to tool servers. They are signed with a key derived from the installation key. */
import { createHash, createPrivateKey, createPublicKey, hkdfSync, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import type { Call } from '../../../domain/calls/call.ts';
import type { Clock } from '../../../domain/ports/clock.ts';

/** Audience claim: keeps these tokens from being accepted elsewhere. */
const CONSUME_AUDIENCE = 'countersign:consume';

const LIFE_S = 60;
/** Prefix of an Ed25519 key in PKCS #8, followed by its 32 bytes: https://www.rfc-editor.org/rfc/rfc8410 */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs that the arguments of a consumed call were approved. */
export interface ConsumeTokens {
  sign(call: Call): Promise<string>;
  /** The public key, as a JSON Web Key Set. */
  readonly keySet: { readonly keys: readonly JWK[] };
}

/** Creates the tokens of an installation; all its processes derive the same key. */
export async function createConsumeTokens(
  installationKey: Uint8Array,
  clock: Clock,
): Promise<ConsumeTokens> {
  const seed = Buffer.from(hkdfSync('sha256', installationKey, '', 'countersign-consume-1', 32));
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const jwk = createPublicKey(key).export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return {
    keySet: { keys: [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }] },
    sign: ({ args, digest, id, tool }) => {
      const now = Math.floor(clock.now() / 1_000);
      const argsHash = createHash('sha256').update(args).digest('hex');
      return new SignJWT({ tool, digest, argsHash })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
        .setIssuer('countersign')
        .setSubject(id)
        .setAudience(CONSUME_AUDIENCE)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + LIFE_S)
        .sign(key);
    },
  };
}
