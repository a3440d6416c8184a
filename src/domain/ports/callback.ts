/** Callbacks: signed requests that tell a program about its calls, at a URL that it chose. */
import { createHmac } from 'node:crypto';

/** One callback request. */
export interface Callback {
  readonly url: string;
  /** Id of the program's key. */
  readonly key: string;
  /** JSON. */
  readonly body: string;
}

/** Sends callbacks to programs. */
export interface Callbacks {
  /**
   * Explains why a URL can't be called back, without using the network; undefined if it may work.
   */
  problemOf(url: string): string | undefined;
  /** Sends a signed callback. Rejects with the reason unless the program accepts it. */
  send(callback: Callback, signal: AbortSignal): Promise<void>;
}

/** The header that carries the signature. */
export const SIGNATURE_HEADER = 'Countersign-Signature';

/**
 * Returns the secret that signs callbacks to a key's program. It changes only with the
 * installation's key.
 */
export function callbackSecretOf(installationKey: Uint8Array, keyId: string): string {
  const secret = createHmac('sha256', installationKey)
    .update(`countersign-callback-1\0${keyId}`)
    .digest('base64url');
  return `cscb_${secret}`;
}

/** Signs a body at a time (ms): `t` is the second, `v1` the hex HMAC-SHA256 of `t.body`. */
export function signCallback(secret: string, body: string, at: number): string {
  const t = Math.floor(at / 1_000);
  const mac = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${mac}`;
}
