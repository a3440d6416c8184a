/**
 * The audit: everything that happened, in its order. Each entry carries a mark (HMAC) that was made
 * with the installation's key before its commit, which numbers it; a chain of hashes over all entries
 * is sealed with the key every few seconds. So entries that are not sealed yet can be lost without a
 * trace, and none can be rewritten or put in by somebody without the key.
 */
import { createHash } from 'node:crypto';
import type { Seal } from '../calls/seal.ts';
import { canonicalJson, type JsonValue, readStoredJson } from '../json/json.ts';

/** Something to be remembered; `detail` never holds argument values. */
export interface AuditDraft {
  readonly at: number;
  /** Dotted: what it is about and what happened, e.g. `call.approve`, `decision.not-allowed`. */
  readonly event: string;
  /** Id of the call, key of the thread or of the message. */
  readonly subject: string;
  /** `team/user` of a person, or `countersign`. */
  readonly actor: string;
  readonly detail: { readonly [key: string]: JsonValue };
}

/** A remembered thing in its place. */
export interface AuditEntry extends AuditDraft {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Of the record that it is about, after the commit that wrote both; absent where that changed none. */
  readonly revision?: number;
  /** HMAC of all but the number. */
  readonly mark: string;
}

/** A place in the chain: the hash covers every entry up to it. */
export interface AuditPosition {
  readonly seq: number;
  readonly hash: string;
}

/** How far the chain reaches, as it is sealed. */
export interface AuditChain {
  /** The last entry that was removed. */
  readonly removed: AuditPosition;
  /** The last entry that is sealed. */
  readonly through: AuditPosition;
  /** When it was sealed (ms). */
  readonly sealedAt: number;
}

const GENESIS: AuditPosition = { seq: 0, hash: '0'.repeat(64) };

/** Of an audit of which nothing was sealed. */
export const NO_CHAIN: AuditChain = { removed: GENESIS, through: GENESIS, sealedAt: 0 };

/** Writes a draft as it is to be stored. */
export function writeAuditEntry(draft: AuditDraft, revision: number | undefined, seal: Seal) {
  const { actor, at, detail, event, subject } = draft;
  const content = { at, event, subject, actor, detail };
  const entry = canonicalJson(revision === undefined ? content : { ...content, revision });
  return JSON.stringify({ entry, mark: markOf(entry, seal) });
}

function markOf(entry: string, seal: Seal): string {
  return seal(`entry\0${entry}`);
}

/** What a stored text is; `mark` is checked where there is a key. */
export type AuditLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  /** It has not the parts of an entry. */
  | { readonly kind: 'unreadable'; readonly seq: number }
  /** Its content is not the one that it was marked with. */
  | { readonly kind: 'changed'; readonly seq: number; readonly entry: AuditEntry };

/** Reads a stored text. */
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

/** Any text of somebody else may stand there. */
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

/** Returns the place of the entry that follows another. */
export function nextAuditPlace({ hash }: AuditPosition, seq: number, text: string): AuditPosition {
  const next = createHash('sha256').update(`${hash}\n${seq}\n${text}`).digest('hex');
  return { seq, hash: next };
}

function chainMark({ removed, sealedAt, through }: AuditChain, seal: Seal): string {
  const facts = [removed.seq, removed.hash, through.seq, through.hash, sealedAt];
  return seal(`chain\0${canonicalJson(facts)}`);
}

/** Writes how far the chain reaches, sealed. */
export function writeAuditChain(chain: AuditChain, seal: Seal): string {
  return JSON.stringify({ chain, mark: chainMark(chain, seal) });
}

/** Reads that; `forged` where it was not made with the key, as far as there is one. */
export function readAuditChain(text: string, seal: Seal | undefined): AuditChain | 'forged' {
  const { chain, mark } = readParts(text) as { chain?: AuditChain; mark?: unknown };
  const isWhole = [chain?.removed, chain?.through].every((each) => Number.isSafeInteger(each?.seq));
  if (chain === undefined || !isWhole) return 'forged';
  return seal === undefined || mark === chainMark(chain, seal) ? chain : 'forged';
}
