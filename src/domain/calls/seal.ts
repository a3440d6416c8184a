/**
 * Seals of stored calls. The digest shows whether a call is the one people saw. Anyone who can
 * write to the database could also rewrite the digest or add an approval. So the whole call is
 * sealed under the installation's key. A database file does not hold that key; on Redis the key is
 * stored beside the calls. A seal does not reveal one change: restoring an earlier state of the
 * same call.
 */
import { createHmac } from 'node:crypto';
import type { Call } from './call.ts';
import { callDigestOf } from './digest.ts';

/** Returns the seal of a text. */
export type Seal = (text: string) => string;

/** Creates the call seal of an installation: hex HMAC-SHA256. */
export function createSeal(key: Uint8Array): Seal {
  return (text) =>
    createHmac('sha256', key).update(`countersign-call-seal-1\0${text}`).digest('hex');
}

/** Creates the seal of the audit log: hex HMAC-SHA256. */
export function createAuditSeal(key: Uint8Array): Seal {
  return (text) =>
    createHmac('sha256', key).update(`countersign-audit-seal-1\0${text}`).digest('hex');
}

/** Seals a call for storage. A call found forged is never sealed again. */
export function withCallSeal({ sealProblem, ...call }: Call, seal: Seal): Call {
  return sealProblem === 'forged' ? call : { ...call, seal: seal(sealedTextOf(call)) };
}

/**
 * Checks the seal of a stored call. Approvals of an unsealed call can't be verified, so they are
 * dropped and it needs new ones.
 */
export function withCheckedSeal(stored: Call, seal: Seal): Call {
  const { sealProblem: _claimed, ...call } = stored;
  if (call.seal === undefined) return { ...call, votes: [], sealProblem: 'unsealed' };
  return call.seal === seal(sealedTextOf(call)) ? call : { ...call, sealProblem: 'forged' };
}

/** Returns whether digest and seal match the stored call. */
export function isIntact(call: Call): boolean {
  return call.sealProblem !== 'forged' && callDigestOf(call) === call.digest;
}

/**
 * The sealed text: all fields, keys sorted. `delivered` is excluded, because it is written
 * separately.
 */
function sealedTextOf({ seal: _seal, delivered: _delivered, ...call }: Call): string {
  return JSON.stringify(call, (_key, value: unknown) =>
    isObject(value) ? sortKeys(value) : value,
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
