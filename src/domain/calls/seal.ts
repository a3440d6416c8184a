/**
 * Seals of stored calls. The digest tells whether a call is the one that was shown; whoever can write
 * the database could rewrite the digest too, or add an approval, so the whole call is sealed under
 * the installation's key, which a database in a file does not hold; on Redis the key lies beside the
 * calls. Putting back an earlier state of the same call is the one change that a seal does not show.
 */
import { createHmac } from 'node:crypto';
import type { Call } from './call.ts';
import { callDigestOf } from './digest.ts';

/** Returns the seal of a text. */
export type Seal = (text: string) => string;

/** Makes the seals of one installation: HMAC-SHA256, hexadecimal. */
export function createSeal(key: Uint8Array): Seal {
  return (text) =>
    createHmac('sha256', key).update(`countersign-call-seal-1\0${text}`).digest('hex');
}

/** Makes the seals of what the audit says of itself. */
export function createAuditSeal(key: Uint8Array): Seal {
  return (text) =>
    createHmac('sha256', key).update(`countersign-audit-seal-1\0${text}`).digest('hex');
}

/** Returns a call with its seal, as it is to be stored; one that was found to be forged never gets a right seal again. */
export function withCallSeal({ doubt, ...call }: Call, seal: Seal): Call {
  return doubt === 'forged' ? call : { ...call, seal: seal(sealedTextOf(call)) };
}

/**
 * Returns a stored call with what its seal says of it. Nobody can tell whether the approvals of a
 * call without a seal are people's: they do not count, so it has to be approved again.
 */
export function withCheckedSeal(stored: Call, seal: Seal): Call {
  const { doubt: _claimed, ...call } = stored;
  if (call.seal === undefined) return { ...call, votes: [], doubt: 'unsealed' };
  return call.seal === seal(sealedTextOf(call)) ? call : { ...call, doubt: 'forged' };
}

/** Tells whether a stored call is the one that was shown, as far as its digest and its seal can tell. */
export function isIntact(call: Call): boolean {
  return call.doubt !== 'forged' && callDigestOf(call) === call.digest;
}

/** All of a call, its keys in order. Only marking as delivered is written apart from the call's steps. */
function sealedTextOf({ seal: _seal, delivered: _apart, ...call }: Call): string {
  return JSON.stringify(call, (_key, value: unknown) => (isObject(value) ? inOrder(value) : value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inOrder(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
