import type { SetRouteOutcome } from '../../desk/control/routes.ts';

/** Explains, without markup, that someone else changed the route first. */
export function describeRouteConflict(
  { byName, how }: Extract<SetRouteOutcome, { readonly kind: 'changed-meanwhile' }>,
  name: string,
): string {
  const who = byName ?? 'Somebody';
  return how === 'added'
    ? `Nothing was saved: ${who} has added a route “${name}” meanwhile. Choose another name, or change that one.`
    : `Nothing was saved: ${who} has ${how} the route “${name}” meanwhile. Close this and look at it anew.`;
}
