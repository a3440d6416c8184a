/**
 * The audit log: everything that happened, in order. Each entry carries a mark, an HMAC under the
 * installation's key, made before its commit. The commit assigns the sequence number. A hash chain
 * over all entries is sealed with the key every few seconds. So unsealed entries can be lost
 * unnoticed. Without the key, no entry can be rewritten or inserted.
 */
import { createHash } from 'node:crypto';
import type { Seal } from '../calls/seal.ts';
import { canonicalJson, type JsonValue, readStoredJson } from '../json/json.ts';

/** An event to record. `detail` never holds argument values. */
export interface AuditDraft {
  readonly at: number;
  /** Dotted subject and event, e.g. `call.approve`, `decision.not-allowed`. */
  readonly event: string;
  /** Id of the call, or key of the thread or message. */
  readonly subject: string;
  /** `team/user` of a person, or `countersign`. */
  readonly actor: string;
  readonly detail: { readonly [key: string]: JsonValue };
}

/** A stored event with its number. */
export interface AuditEntry extends AuditDraft {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Revision of the subject after the commit; absent if the commit did not change it. */
  readonly revision?: number;
  /** HMAC of everything except the number. */
  readonly mark: string;
}

/** A position in the chain. The hash covers every entry up to it. */
export interface AuditPosition {
  readonly seq: number;
  readonly hash: string;
}

/** The sealed extent of the chain. */
export interface AuditChain {
  /** The last removed entry. */
  readonly removed: AuditPosition;
  /** The last sealed entry. */
  readonly through: AuditPosition;
  /** When it was sealed (ms). */
  readonly sealedAt: number;
}

const GENESIS: AuditPosition = { seq: 0, hash: '0'.repeat(64) };

/** The chain of a log in which nothing is sealed yet. */
export const NO_CHAIN: AuditChain = { removed: GENESIS, through: GENESIS, sealedAt: 0 };

/** Encodes a draft for storage. */
export function writeAuditEntry(draft: AuditDraft, revision: number | undefined, seal: Seal) {
  const { actor, at, detail, event, subject } = draft;
  const content = { at, event, subject, actor, detail };
  const entry = canonicalJson(revision === undefined ? content : { ...content, revision });
  return JSON.stringify({ entry, mark: markOf(entry, seal) });
}

function markOf(entry: string, seal: Seal): string {
  return seal(`entry\0${entry}`);
}

/** A decoded entry. `mark` is only checked if there is a key. */
export type AuditLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  /** Parts of an entry are missing. */
  | { readonly kind: 'unreadable'; readonly seq: number }
  /** The content does not match its mark. */
  | { readonly kind: 'changed'; readonly seq: number; readonly entry: AuditEntry };

/** Decodes a stored entry. */
export function readAuditLine(text: string, seq: number, seal: Seal | undefined): AuditLine {
  const { entry: stored, mark } = readParts(text);
  const content = typeof stored === 'string' ? readParts(stored) : {};
  if (typeof stored !== 'string' || typeof mark !== 'string' || !isDraft(content)) {
    return { kind: 'unreadable', seq };
  }
  const { actor, at, detail, event, revision, subject } = content;
  const entry: AuditEntry = {
    ...{ seq, at, event, subject, actor, detail, mark },
    ...(typeof revision === 'number' && { revision }),
  };
  const isGenuine = seal === undefined || mark === markOf(stored, seal);
  return isGenuine ? { kind: 'entry', entry } : { kind: 'changed', seq, entry };
}

/** The stored text may have been tampered with, so nothing about its shape is assumed. */
function readParts(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = readStoredJson(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isDraft(
  value: Readonly<Record<string, unknown>>,
): value is AuditDraft & Readonly<Record<string, unknown>> {
  const { actor, at, detail, event, subject } = value;
  const areTexts = [actor, event, subject].every((each) => typeof each === 'string');
  return areTexts && typeof at === 'number' && typeof detail === 'object' && detail !== null;
}

/** Returns the chain position after the next entry. */
export function nextAuditPlace({ hash }: AuditPosition, seq: number, text: string): AuditPosition {
  const next = createHash('sha256').update(`${hash}\n${seq}\n${text}`).digest('hex');
  return { seq, hash: next };
}

function chainMark({ removed, sealedAt, through }: AuditChain, seal: Seal): string {
  const facts = [removed.seq, removed.hash, through.seq, through.hash, sealedAt];
  return seal(`chain\0${canonicalJson(facts)}`);
}

/** Encodes the chain's extent, sealed. */
export function writeAuditChain(chain: AuditChain, seal: Seal): string {
  return JSON.stringify({ chain, mark: chainMark(chain, seal) });
}

/** Decodes the chain's extent; `forged` if malformed or, given a key, if its seal is invalid. */
export function readAuditChain(text: string, seal: Seal | undefined): AuditChain | 'forged' {
  const { chain, mark } = readParts(text) as { chain?: AuditChain; mark?: unknown };
  const isWhole = [chain?.removed, chain?.through].every((each) => Number.isSafeInteger(each?.seq));
  if (chain === undefined || !isWhole) return 'forged';
  return seal === undefined || mark === chainMark(chain, seal) ? chain : 'forged';
}
