import type { Call } from '../calls/call.ts';
import { routeOf } from '../calls/decision-rules.ts';
import type { Group } from '../policy/route.ts';
import { groupsNamed } from './decision-permission.ts';

/** A person or a group of whom calls ask a decision. */
export type Asked = `user:${string}` | Group;

/** Lists those of whom a call asks a decision now; nobody where none is asked for. */
export function askedOf(call: Call): readonly Asked[] {
  if (call.status !== 'pending' && call.status !== 'unknown') return [];
  const route = routeOf(call);
  const all = route.approvers.map(
    (approver): Asked => (approver === 'requester' ? `user:${call.requester.user}` : approver),
  );
  // Who is in one of those has a say in who decides.
  return [...new Set([...all, ...groupsNamed(route)])];
}
