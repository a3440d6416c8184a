import type { Call } from '../calls/call.ts';
import type { Group } from '../people/person.ts';
import { groupsNamedBy } from './decision-permission.ts';
import { rulingRouteOf } from './decision-rules.ts';

/** A person or group from whom calls request a decision. */
export type RequestedDecider = `user:${string}` | Group;

/** Lists those from whom a call requests a decision now; empty if none is requested. */
export function requestedDecidersOf(call: Call): readonly RequestedDecider[] {
  if (call.status !== 'pending' && call.status !== 'unknown') return [];
  const route = rulingRouteOf(call);
  const all = route.approvers.map(
    (approver): RequestedDecider =>
      approver === 'requester' ? `user:${call.requester.user}` : approver,
  );
  // Members of these groups also determine who may decide.
  return [...new Set([...all, ...groupsNamedBy(route)])];
}
