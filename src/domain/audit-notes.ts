/**
 * What the audit says of itself: seals of where it stood, and notes of what was removed. A chain alone
 * proves nothing against whoever rewrites all of it; these are made with the installation's key.
 */
import type { AuditDraft, AuditEntry } from './audit.ts';
import { canonicalJson, type JsonValue } from './json.ts';
import type { Seal } from './seal.ts';
import type { ThreadKey } from './thread-key.ts';

type Detail = AuditDraft['detail'];
type Place = Pick<AuditEntry, 'seq' | 'hash'>;

const SEAL_EVENT = 'audit.seal';
const REMOVE_EVENT = 'audit.remove';
const HISTORY_EVENT = 'history.remove';
const SEALED_EVENTS: ReadonlySet<string> = new Set([SEAL_EVENT, REMOVE_EVENT, HISTORY_EVENT]);

/** Says that the chain stood at this entry: all of it up to there is sealed by that. */
export function draftSeal({ seq, hash }: Place, seal: Seal, now: number): AuditDraft {
  return sealed(SEAL_EVENT, 'audit', { through: seq, hash }, seal, now);
}

/** Says that the entries up to this one, `count` of them, were removed, since they were older than `before` (ms). */
export function draftRemoval(
  last: Place,
  { before, count }: { readonly before: number; readonly count: number },
  seal: Seal,
  now: number,
): AuditDraft {
  const facts = { through: last.seq, hash: last.hash, count, before };
  return sealed(REMOVE_EVENT, 'audit', facts, seal, now);
}

/** Says that what was kept of a thread, or so many calls of a channel itself, was removed, since nothing had happened to it after `untouchedSince` (ms). */
export function draftHistoryRemoval(
  thread: ThreadKey,
  facts: { readonly turns: number; readonly calls: number; readonly untouchedSince: number },
  seal: Seal,
  now: number,
): AuditDraft {
  return sealed(HISTORY_EVENT, thread, facts, seal, now);
}

function sealed(
  event: string,
  subject: string,
  facts: Detail,
  seal: Seal,
  now: number,
): AuditDraft {
  const detail = { ...facts, seal: seal(sealedText(event, subject, facts)) };
  return { at: now, event, subject, actor: 'countersign', detail };
}

function sealedText(event: string, subject: string, facts: Detail): string {
  return canonicalJson({ event, subject, facts });
}

/** Tells whether an entry claims to be made with the installation's key. */
export function isSealed({ event }: Pick<AuditDraft, 'event'>): boolean {
  return SEALED_EVENTS.has(event);
}

/** Tells whether an entry that claims it was made with this key. */
export function isGenuine({ detail, event, subject }: AuditDraft, seal: Seal): boolean {
  const { seal: found, ...facts } = detail;
  return found === seal(sealedText(event, subject, facts));
}

/** Returns the entry that a seal or a note of a removal speaks of; undefined for any other entry. */
export function placeNamed({ detail, event }: AuditDraft): Place | undefined {
  if (event !== SEAL_EVENT && event !== REMOVE_EVENT) return undefined;
  const { hash, through }: Readonly<Record<string, JsonValue | undefined>> = detail;
  return typeof through === 'number' && typeof hash === 'string'
    ? { seq: through, hash }
    : undefined;
}

/** Tells whether an entry says that those before another one were removed. */
export function isRemoval({ event }: Pick<AuditDraft, 'event'>): boolean {
  return event === REMOVE_EVENT;
}
