/** How a program is told of what becomes of its calls: by a signed request to an address that it has named. */
import { createHmac } from 'node:crypto';

/** What is sent to a program. */
export interface Callback {
  readonly url: string;
  /** Id of the program's key. */
  readonly key: string;
  /** JSON. */
  readonly body: string;
}

/** Reaches programs. */
export interface Callbacks {
  /** Says why an address can't be called back, as far as that can be told without asking the network; undefined when it may be tried. */
  problemOf(url: string): string | undefined;
  /** Sends it, signed; rejects with the reason unless the program takes it. */
  send(callback: Callback, signal: AbortSignal): Promise<void>;
}

/** The header in which the signature stands. */
export const SIGNATURE_HEADER = 'Countersign-Signature';

/** Returns the secret under which callbacks to the program of a key are signed; the same as long as the installation's key is. */
export function callbackSecretOf(installationKey: Uint8Array, keyId: string): string {
  const secret = createHmac('sha256', installationKey)
    .update(`countersign-callback-1\0${keyId}`)
    .digest('base64url');
  return `cscb_${secret}`;
}

/** Signs a body as of a moment (ms): `t` is the second, `v1` the HMAC-SHA256 over `t.body`, in hexadecimal digits. */
export function signCallback(secret: string, body: string, at: number): string {
  const t = Math.floor(at / 1_000);
  const mac = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${mac}`;
}
