/** The routes that admins have set in Slack: one small document, and how it is changed. */

import type { Person } from '../people/person.ts';
import { matchesGlob } from '../text/glob.ts';
import type { DraftRoute } from './policy-routes.ts';
import { type Approver, REQUESTER_ROUTE, type Route } from './route.ts';

/** What an admin says of a route: the next one by its name, and the tools whose calls go by it. */
export interface AdminRouteDraft extends Omit<DraftRoute, 'approvers'> {
  readonly approvers: readonly Approver[];
  /** Names, and patterns with `*`. */
  readonly tools: readonly string[];
}

/** A route as it was set. */
export interface AdminRoute extends AdminRouteDraft {
  readonly changedBy: Person;
  readonly changedAt: number;
  /** Of the document, which this change made. */
  readonly revision: number;
}

/** A route that is there no more, and who took it away. */
export interface RemovedRoute {
  readonly name: string;
  readonly by: Person;
  readonly at: number;
}

/** The document. */
export interface AdminRoutes {
  /** Grows by one with each change; 0 before the first. */
  readonly revision: number;
  /** By name, each once; none uses a pattern that another uses. */
  readonly routes: readonly AdminRoute[];
  /** The last ones, the newest first. */
  readonly removed: readonly RemovedRoute[];
}

export const NO_ADMIN_ROUTES: AdminRoutes = { revision: 0, routes: [], removed: [] };

/** So many stay in view, and within a gate's question. */
export const MAX_ADMIN_ROUTES = 20;
const MAX_REMOVED = 20;

/** Returns the document with a route added, or in place of the one of its name. */
export function withAdminRoute(
  book: AdminRoutes,
  draft: AdminRouteDraft,
  by: Person,
  at: number,
): AdminRoutes {
  const revision = book.revision + 1;
  const next: AdminRoute = { ...draft, changedBy: by, changedAt: at, revision };
  const isKnown = book.routes.some(({ name }) => name === draft.name);
  const routes = isKnown
    ? book.routes.map((route) => (route.name === draft.name ? next : route))
    : [...book.routes, next];
  const removed = book.removed.filter(({ name }) => name !== draft.name);
  return { revision, routes, removed };
}

/** Returns the document without a route. */
export function withoutAdminRoute(
  book: AdminRoutes,
  name: string,
  by: Person,
  at: number,
): AdminRoutes {
  const others = book.removed.filter((removed) => removed.name !== name);
  return {
    revision: book.revision + 1,
    routes: book.routes.filter((route) => route.name !== name),
    removed: [{ name, by, at }, ...others].slice(0, MAX_REMOVED),
  };
}

/** Finds the route that the calls of a tool go by: of the patterns that mean it the one that says most, and of several such ones the first. */
export function findAdminRoute(book: AdminRoutes, tool: string): Route | undefined {
  let best: AdminRoute | undefined;
  let most = -1;
  for (const route of book.routes) {
    for (const pattern of route.tools) {
      const says = matchesGlob(pattern, tool) ? patternSpecificity(pattern) : -1;
      if (says > most) {
        best = route;
        most = says;
      }
    }
  }
  return best && resolveAdminRoute(best, book, new Set());
}

/** A name says more than any pattern. */
function patternSpecificity(pattern: string): number {
  const letters = pattern.replaceAll('*', '').length;
  return pattern.includes('*') ? letters : Number.POSITIVE_INFINITY;
}

function resolveAdminRoute(
  route: AdminRoute,
  book: AdminRoutes,
  under: ReadonlySet<string>,
): Route {
  const { changedAt: _at, changedBy: _by, escalate, revision: _of, tools: _tools, ...rest } = route;
  const to = escalate && reach(escalate.to, book, new Set([...under, route.name]));
  return { ...rest, ...(escalate && to && { escalate: { afterMs: escalate.afterMs, to } }) };
}

function reach(name: string, book: AdminRoutes, under: ReadonlySet<string>): Route | undefined {
  if (name === REQUESTER_ROUTE.name) return REQUESTER_ROUTE;
  const next = book.routes.find((route) => route.name === name);
  return next && !under.has(name) ? resolveAdminRoute(next, book, under) : undefined;
}
