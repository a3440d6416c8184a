/** Reminders and escalation of pending calls. */

import type { Call } from '../calls/call.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';
import { type Group, isGroup, type Person } from '../people/person.ts';
import type { Route } from '../policy/route.ts';
import { missingApprovalCount } from './decision-rules.ts';

/** When to remind the approvers; undefined if never, or already done. */
export function reminderDueAt(call: Call): number | undefined {
  const { pendingSince, remindedAt, route, status } = call;
  if (status !== 'pending' || remindedAt !== undefined) return undefined;
  return addMs(pendingSince, route?.remindAfterMs);
}

/** When a pending call escalates; undefined if never. */
export function escalationDueAt(call: Call): number | undefined {
  const { pendingSince, route, status } = call;
  return status === 'pending' ? addMs(pendingSince, route?.escalate?.afterMs) : undefined;
}

function addMs(pendingSince: number | undefined, ms: number | undefined): number | undefined {
  return pendingSince === undefined || ms === undefined ? undefined : pendingSince + ms;
}

/** Records that the approvers of a pending call were reminded. */
export function recordReminder(call: Call, now: number): Step {
  return stepFrom(call, 'remind', now, { status: 'pending', remindedAt: now });
}

/**
 * Escalates a pending call: approvals, reminder and deadline start over. Undefined without an
 * escalation route.
 */
export function escalateCall(call: Call, now: number): Step | undefined {
  const to = call.route?.escalate?.to;
  if (!to) return undefined;
  const { remindedAt: _old, ...rest } = call;
  return stepFrom(rest, 'escalate', now, {
    status: 'pending',
    route: to,
    escalatedFrom: call.escalatedFrom ?? call.route?.name ?? to.name,
    votes: [],
    pendingSince: now,
    deadlineAt: now + to.deadlineMs,
    note: `Nobody decided in time on the route “${call.route?.name}”, so it was escalated to “${to.name}”.`,
  });
}

/**
 * Returns the route that applies if the policy now answers `route`: its escalation, if the call got
 * there.
 */
export function reachedRouteOf(call: Call, route: Route): Route {
  if (call.escalatedFrom !== route.name) return route;
  let reached: Route | undefined = route;
  while (reached && reached.name !== call.route?.name) reached = reached.escalate?.to;
  return reached ?? route;
}

/**
 * Returns the people and groups who can still decide. Someone who approved is left out unless only
 * a click is missing.
 */
export function missingApprovers(call: Call): {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
} {
  const { approvers = [], selfApproval = true } = call.route ?? {};
  const { team } = call.requester;
  const people = new Map<string, Person>();
  const groups: Group[] = [];
  for (const approver of approvers) {
    if (isGroup(approver)) groups.push(approver);
    else {
      const user = approver === 'requester' ? call.requester.user : approver.slice('user:'.length);
      people.set(user, { team, user });
    }
  }
  if (missingApprovalCount(call) > 0) for (const { by } of call.votes) people.delete(by.user);
  // Their approval would not count.
  if (!selfApproval) people.delete(call.requester.user);
  return { people: [...people.values()], groups };
}
