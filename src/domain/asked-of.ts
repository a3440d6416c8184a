import type { Call } from './call.ts';
import { routeOf } from './decide.ts';
import type { Group } from './route.ts';

/** A person or a group of whom calls ask a decision. */
export type Asked = `user:${string}` | Group;

/** Lists those of whom a call asks a decision now; nobody where none is asked for. */
export function askedOf(call: Call): readonly Asked[] {
  if (call.status !== 'pending' && call.status !== 'unknown') return [];
  const all = routeOf(call).approvers.map(
    (approver): Asked => (approver === 'requester' ? `user:${call.requester.user}` : approver),
  );
  return [...new Set(all)];
}
