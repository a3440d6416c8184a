import type { SetRouteOutcome } from '../../desk/control/routes.ts';

/** Explains, without markup, that someone else changed the route first. */
export function describeRouteConflict(
  { byName, how }: Extract<SetRouteOutcome, { readonly kind: 'changed-meanwhile' }>,
  name: string,
): string {
  const who = byName ?? 'Somebody';
  return how === 'added'
    ? `Nothing was saved: ${who} has added a route “${name}” in the meantime. Choose another name, or change that route.`
    : `Nothing was saved: ${who} has ${how} the route “${name}” in the meantime. Close this form and open it again.`;
}
