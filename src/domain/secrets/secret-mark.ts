/** Marks of secrets: people can tell whether two are the same, and nobody can test a guess without the key. */
import { createHmac } from 'node:crypto';

/** Returns the short mark of a secret. */
export type SecretMark = (secret: string) => string;

/** Keeps the key of the installation: made once, secret, and the same for all its processes. */
export interface InstallationKey {
  /** At least 32 random bytes. */
  read(): Promise<Uint8Array>;
}

const MARK_LENGTH = 8;

/** Makes the marks of one installation: the first hexadecimal digits of an HMAC-SHA256. */
export function createSecretMark(key: Uint8Array): SecretMark {
  return (secret) =>
    createHmac('sha256', key)
      .update(`countersign-secret-1\0${secret}`)
      .digest('hex')
      .slice(0, MARK_LENGTH);
}

/** Makes ids of calls out of texts, the same of the same text: 132 bits that nobody can guess without the key. */
export function createCallIds(key: Uint8Array): (text: string) => string {
  return (text) =>
    createHmac('sha256', key)
      .update(`countersign-call-name-1\0${text}`)
      .digest('base64url')
      .slice(0, 22);
}
