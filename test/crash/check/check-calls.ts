import type { AuditEntry } from '../../../src/domain/audit/audit.ts';
import { type Call, type CallStatus, isTerminal } from '../../../src/domain/calls/call.ts';
import { isTransition, type TransitionCause } from '../../../src/domain/calls/transitions.ts';
import type { StoreDump } from '../record.ts';
import type { Edge, Evidence } from './finding.ts';

export const checkCalls = {
  /** I5: each call follows the edges of the transition table, and stays in its final status. */
  *edges(evidence: Evidence): Iterable<string> {
    for (const call of evidence.end.calls) yield* checkEdges(call, evidence.edgesOf(call.id));
    const { dumps } = evidence;
    for (const [index, later] of dumps.entries()) {
      const earlier = dumps[index - 1];
      if (earlier) yield* compare(earlier, later);
    }
  },

  /** I9: unbroken, append-only, and one entry for each revision of a call. */
  *audit({ dumps, end, edgesOf }: Evidence): Iterable<string> {
    let before: readonly AuditEntry[] = [];
    for (const { audit, auditFault, when, n } of dumps) {
      if (auditFault) yield `entry ${auditFault.seq} is ${auditFault.kind} (dump ${n}, ${when})`;
      const changed = before.find(({ mark }, index) => audit[index]?.mark !== mark);
      if (changed)
        yield `entry ${changed.seq} was there before, and is gone or changed (dump ${n})`;
      before = audit;
    }
    for (const { id, revision } of end.calls) {
      const count = edgesOf(id).length;
      if (count !== revision) yield `${id} is at revision ${revision}, with ${count} entries`;
    }
  },
};

function* checkEdges(call: Call, edges: readonly Edge[]): Iterable<string> {
  let status: CallStatus | null = null;
  let attempt = 1;
  for (const { cause, from, to, attempt: its = 1, entry } of edges) {
    const where = `${call.id}, entry ${entry.seq}`;
    if (from !== status) yield `${where}: ${cause} leaves from ${from}, and it was ${status}`;
    if (!isTransition(status, to as CallStatus, cause as TransitionCause)) {
      yield `${where}: there is no edge ${cause} from ${status} to ${to}`;
    }
    const grows = cause === 'edit' || cause === 'rerun';
    if (its !== attempt + (grows ? 1 : 0)) {
      yield `${where}: ${cause} makes attempt ${its} of attempt ${attempt}`;
    }
    status = to as CallStatus;
    attempt = its;
  }
  if (status !== call.status) yield `${call.id} is ${call.status}; the audit ends with ${status}`;
  if (attempt !== call.attempt) yield `${call.id} is at attempt ${call.attempt}, not ${attempt}`;
}

function* compare(earlier: StoreDump, later: StoreDump): Iterable<string> {
  const calls = new Map(later.calls.map((call) => [call.id, call]));
  for (const before of earlier.calls) {
    const after = calls.get(before.id);
    if (!after) yield `${before.id} was there (dump ${earlier.n}), and is gone (dump ${later.n})`;
    else if (isTerminal(before) && gist(before) !== gist(after)) {
      yield `${before.id} was over: ${gist(before)}; and is now ${gist(after)}`;
    } else if (after.revision < before.revision) yield `${before.id} went back in its revisions`;
  }
}

/** The final state of a call; only the delivery of the outcome to its origin may come later. */
function gist({ delivered: _, ...call }: Call): string {
  return JSON.stringify(call);
}

/** A call becomes unknown exactly if a dead process had claimed and not ended it, and it may not run again. */
export function* checkUnknown({ dumps, end, edgesOf }: Evidence): Iterable<string> {
  const runs = new Map<string, Set<number>>();
  for (const { when, calls } of dumps) {
    if (when !== 'restart') continue;
    for (const { id, status, idempotent, claim } of calls) {
      if (status !== 'running' || idempotent || !claim) continue;
      runs.set(id, (runs.get(id) ?? new Set()).add(claim.fence));
    }
  }
  for (const { id, tool } of end.calls) {
    const killed = runs.get(id)?.size ?? 0;
    const unknown = edgesOf(id).filter(
      ({ cause, to }) => cause === 'recover' && to === 'unknown',
    ).length;
    if (unknown !== killed) {
      yield `${id} (${tool}) was killed ${killed} times amid a run, and became unknown ${unknown} times`;
    }
  }
}
