import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from './json.ts';

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

/** A remembered thing in its place in the chain. */
export interface AuditEntry extends AuditDraft {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly previous: string;
  readonly hash: string;
}

export const AUDIT_GENESIS = '0'.repeat(64);

/** Puts a draft behind the entry whose hash is `previous`. */
export function chainAudit(draft: AuditDraft, seq: number, previous: string): AuditEntry {
  const { at, event, subject, actor, detail } = draft;
  const body = canonicalJson({ seq, at, event, subject, actor, detail, previous });
  const hash = createHash('sha256').update(body).digest('hex');
  return { seq, at, event, subject, actor, detail, previous, hash };
}

/** Tells whether an entry's hash is that of its content. */
export function isHashOfItself(entry: AuditEntry): boolean {
  try {
    return chainAudit(entry, entry.seq, entry.previous).hash === entry.hash;
  } catch {
    // What can't be written as canonical JSON was not written by us.
    return false;
  }
}

/** Returns the number of the first entry that breaks the chain; undefined when it holds. */
export function firstBrokenEntry(entries: Iterable<AuditEntry>): number | undefined {
  let previous = AUDIT_GENESIS;
  let seq = 0;
  for (const entry of entries) {
    seq += 1;
    const right = chainAudit(entry, seq, previous);
    if (entry.seq !== seq || entry.previous !== previous || entry.hash !== right.hash) return seq;
    previous = entry.hash;
  }
  return undefined;
}
