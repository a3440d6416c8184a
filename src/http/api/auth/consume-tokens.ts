/** One-time tokens for the servers of tools: signed under a key of the installation, checked with its public half. */
import { createHash, createPrivateKey, createPublicKey, hkdfSync, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import type { Call } from '../../../domain/calls/call.ts';
import type { Clock } from '../../../domain/ports/clock.ts';

/** For whom these tokens are, and nobody else's. */
const CONSUME_AUDIENCE = 'countersign:consume';

const LIFE_S = 60;
/** https://www.rfc-editor.org/rfc/rfc8410: an Ed25519 key in PKCS #8 is this and its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs that the bytes of a taken call were approved. */
export interface ConsumeTokens {
  sign(call: Call): Promise<string>;
  /** The public key, as a set. */
  readonly keySet: { readonly keys: readonly JWK[] };
}

/** Creates the tokens of one installation: all its processes have the same key. */
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
