import type { AuditEntry } from '../../../src/domain/audit/audit.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { RunRecord, StoreDump } from '../record.ts';

export const INVARIANTS = {
  I1: 'every effect has its approval',
  I2: 'nothing runs twice',
  I3: 'nothing that was accepted is lost',
  I4: 'every answered decision is in the audit, and no other',
  I5: 'calls take legal edges only, and what is over stays so',
  I6: 'what was shown is what was approved and what ran',
  I7: 'each call has one card, which says how it stands; words are said once',
  I9: 'the audit is unbroken, with one entry for each edge',
  I10: 'every thread goes on',
  unknown: 'a call is unknown exactly when it was killed amid a run and is not idempotent',
  harness: 'the run went as it was planned',
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** A counter-example. */
export interface Finding {
  readonly invariant: Invariant;
  readonly what: string;
}

/** A record, prepared for all checks. */
export interface Evidence extends RunRecord {
  /** The final state of the store. */
  readonly end: StoreDump;
  call(id: string): Call | undefined;
  /** The audit entries of the edges of a call, in order. */
  edgesOf(callId: string): readonly Edge[];
}

/** An edge that a call took, from the audit. */
export interface Edge {
  readonly entry: AuditEntry;
  readonly cause: string;
  readonly from: string | null;
  readonly to: string;
  /** Undefined for the proposal. */
  readonly attempt: number | undefined;
  readonly digest: string;
  readonly actor: string;
  readonly at: number;
}

/** Returns the call and attempt of an effect from its key. */
export function parseKey(key: string): { readonly callId: string; readonly attempt: number } {
  const dot = key.lastIndexOf('.');
  return { callId: key.slice(0, dot), attempt: Number(key.slice(dot + 1)) };
}

/** Reads an edge of a call; undefined for any other entry. */
export function toEdge(entry: AuditEntry): Edge | undefined {
  const { event, detail, actor, at } = entry;
  if (!event.startsWith('call.')) return undefined;
  const cause = event.slice('call.'.length);
  const isFirst = cause === 'propose';
  return {
    entry,
    cause,
    from: isFirst ? null : String(detail.from),
    to: isFirst ? 'proposed' : String(detail.to),
    attempt: isFirst ? undefined : Number(detail.attempt),
    digest: shortDigest(String(detail.digest ?? '')),
    actor,
    at,
  };
}
