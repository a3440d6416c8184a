import type { Call } from '../calls/call.ts';
import { rulingRouteOf } from '../calls/decision-rules.ts';
import type { Group } from '../policy/route.ts';
import { groupsNamedBy } from './decision-permission.ts';

/** A person or a group of whom calls ask a decision. */
export type RequestedDecider = `user:${string}` | Group;

/** Lists those of whom a call asks a decision now; nobody where none is asked for. */
export function requestedDecidersOf(call: Call): readonly RequestedDecider[] {
  if (call.status !== 'pending' && call.status !== 'unknown') return [];
  const route = rulingRouteOf(call);
  const all = route.approvers.map(
    (approver): RequestedDecider =>
      approver === 'requester' ? `user:${call.requester.user}` : approver,
  );
  // Who is in one of those has a say in who decides.
  return [...new Set([...all, ...groupsNamedBy(route)])];
}
