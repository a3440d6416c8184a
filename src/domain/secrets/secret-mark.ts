/**
 * Marks of secrets: equal secrets have equal marks, but guesses can't be tested without the key.
 */
import { createHmac } from 'node:crypto';

/** Returns the short mark of a secret. */
export type SecretMark = (secret: string) => string;

/** Holds the installation's secret key: created once, shared by all its processes. */
export interface InstallationKey {
  /** At least 32 random bytes. */
  read(): Promise<Uint8Array>;
}

const MARK_LENGTH = 8;

/** Creates an installation's mark function: the first hex digits of an HMAC-SHA256. */
export function createSecretMark(key: Uint8Array): SecretMark {
  return (secret) =>
    createHmac('sha256', key)
      .update(`countersign-secret-1\0${secret}`)
      .digest('hex')
      .slice(0, MARK_LENGTH);
}

/** Creates call ids from texts, equal for equal texts: 132 bits, unguessable without the key. */
export function createCallIds(key: Uint8Array): (text: string) => string {
  return (text) =>
    createHmac('sha256', key)
      .update(`countersign-call-name-1\0${text}`)
      .digest('base64url')
      .slice(0, 22);
}
