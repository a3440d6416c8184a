/** What becomes of a pending call while nobody decides it: its people are reminded once, or others may decide. */

import { isGroup } from '../people/decision-permission.ts';
import type { Person } from '../people/person.ts';
import type { Group, Route } from '../policy/route.ts';
import type { Call } from './call.ts';
import { missingApprovalCount } from './decision-rules.ts';
import { type Step, stepFrom } from './transitions.ts';

/** When the people of a pending call are to be reminded; undefined when they are not, or were. */
export function reminderDueAt(call: Call): number | undefined {
  const { pendingSince, remindedAt, route, status } = call;
  if (status !== 'pending' || remindedAt !== undefined) return undefined;
  return later(pendingSince, route?.remindAfterMs);
}

/** When a pending call goes on to another route; undefined when it does not. */
export function escalationDueAt(call: Call): number | undefined {
  const { pendingSince, route, status } = call;
  return status === 'pending' ? later(pendingSince, route?.escalate?.afterMs) : undefined;
}

function later(pendingSince: number | undefined, ms: number | undefined): number | undefined {
  return pendingSince === undefined || ms === undefined ? undefined : pendingSince + ms;
}

/** Notes that the people of a pending call are reminded. */
export function recordReminder(call: Call, now: number): Step {
  return stepFrom(call, 'remind', now, { status: 'pending', remindedAt: now });
}

/** Hands a pending call to the route that its own names: approvals, reminder and deadline start anew; undefined when it names none. */
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
    note: `Nobody decided in time on the route “${call.route?.name}”: it has gone on to “${to.name}”.`,
  });
}

/** Returns the route that rules a call, where the policy of now answers with `route`: the one that it has gone on to from there, if it has. */
export function reachedRouteOf(call: Call, route: Route): Route {
  if (call.escalatedFrom !== route.name) return route;
  let reached: Route | undefined = route;
  while (reached && reached.name !== call.route?.name) reached = reached.escalate?.to;
  return reached ?? route;
}

/** Those whose decision a pending call waits for; whoever has approved is not among them, unless a press is all that it lacks. */
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
  // Theirs would not count.
  if (!selfApproval) people.delete(call.requester.user);
  return { people: [...people.values()], groups };
}
