import { expireKey, pumpKey, redrawKey, runKey, type Wake } from '../domain/agenda.ts';
import type { AuditDraft } from '../domain/audit.ts';
import { type Call, isTerminal } from '../domain/call.ts';
import { shortDigest } from '../domain/digest.ts';
import type { Person } from '../domain/person.ts';
import type { Effects } from '../domain/store.ts';
import type { Step } from '../domain/transitions.ts';

/** Whoever does a thing, as the audit names them. */
export function actorOf(person: Person | undefined): string {
  return person ? `${person.team}/${person.user}` : 'countersign';
}

/** What goes with the steps of a call: their audit entries, and the keys that have work now. */
export function effectsOf(
  before: Call,
  steps: readonly Step[],
  by: Person | undefined,
): Required<Pick<Effects, 'audit' | 'wakes'>> {
  const audit: AuditDraft[] = [];
  let previous = before;
  for (const { cause, call } of steps) {
    audit.push({
      at: call.updatedAt,
      event: `call.${cause}`,
      subject: call.id,
      actor: actorOf(by),
      detail: {
        from: previous.status,
        to: call.status,
        tool: call.tool,
        attempt: call.attempt,
        digest: shortDigest(call.digest),
      },
    });
    previous = call;
  }
  return { audit, wakes: wakesOf(previous) };
}

function wakesOf(call: Call): readonly Wake[] {
  const now = call.updatedAt;
  const wakes: Wake[] = [];
  if (call.route) wakes.push({ key: redrawKey(call.id), dueAt: now });
  if (call.status === 'approved') wakes.push({ key: runKey(call.id), dueAt: now });
  if (call.deadlineAt !== undefined && !isTerminal(call) && call.status !== 'running') {
    wakes.push({ key: expireKey(call.id), dueAt: call.deadlineAt });
  }
  // What became unknown runs no more: whoever waited for its end can go on.
  if (call.outcome || call.status === 'unknown') {
    wakes.push({ key: pumpKey(call.thread), dueAt: now });
  }
  // A helper ends with the call that it works for.
  if (call.child && isTerminal(call)) wakes.push({ key: pumpKey(call.child), dueAt: now });
  return wakes;
}
