/** The routes that admins set in Slack: one small document, and how it changes. */

import type { Person } from '../people/person.ts';
import { matchesGlob } from '../text/glob.ts';
import type { DraftRoute } from './policy-routes.ts';
import { type Approver, REQUESTER_ROUTE, type Route } from './route.ts';

/** A route as an admin defines it: the escalation target by name, and the tools it applies to. */
export interface AdminRouteDraft extends Omit<DraftRoute, 'approvers'> {
  readonly approvers: readonly Approver[];
  /** Tool names, and patterns with `*`. */
  readonly tools: readonly string[];
}

/** A saved admin route. */
export interface AdminRoute extends AdminRouteDraft {
  readonly changedBy: Person;
  readonly changedAt: number;
  /** Revision of the document made by this change. */
  readonly revision: number;
}

/** A removed route, and who removed it. */
export interface RemovedRoute {
  readonly name: string;
  readonly by: Person;
  readonly at: number;
}

/** The document of all admin routes. */
export interface AdminRoutes {
  /** Grows by one with each change; 0 before the first. */
  readonly revision: number;
  /** Names are unique, and no two routes share a tool pattern. */
  readonly routes: readonly AdminRoute[];
  /** Recently removed routes, newest first. */
  readonly removed: readonly RemovedRoute[];
}

export const NO_ADMIN_ROUTES: AdminRoutes = { revision: 0, routes: [], removed: [] };

/** A limit that keeps the list readable and each gate lookup cheap. */
export const MAX_ADMIN_ROUTES = 20;
const MAX_REMOVED = 20;

/** Returns the document with a route added or replaced. */
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

/**
 * Finds the admin route for a tool. The most specific matching pattern wins; on a tie, the first.
 */
export function findAdminRoute(book: AdminRoutes, tool: string): Route | undefined {
  let best: AdminRoute | undefined;
  let most = -1;
  for (const route of book.routes) {
    for (const pattern of route.tools) {
      const specificity = matchesGlob(pattern, tool) ? patternSpecificity(pattern) : -1;
      if (specificity > most) {
        best = route;
        most = specificity;
      }
    }
  }
  return best && resolveAdminRoute(best, book, new Set());
}

/** A full name is more specific than any pattern. */
function patternSpecificity(pattern: string): number {
  const letters = pattern.replaceAll('*', '').length;
  return pattern.includes('*') ? letters : Number.POSITIVE_INFINITY;
}

function resolveAdminRoute(
  route: AdminRoute,
  book: AdminRoutes,
  visited: ReadonlySet<string>,
): Route {
  const { changedAt: _at, changedBy: _by, escalate, revision: _of, tools: _tools, ...rest } = route;
  const to = escalate && resolveTarget(escalate.to, book, new Set([...visited, route.name]));
  return { ...rest, ...(escalate && to && { escalate: { afterMs: escalate.afterMs, to } }) };
}

function resolveTarget(
  name: string,
  book: AdminRoutes,
  visited: ReadonlySet<string>,
): Route | undefined {
  if (name === REQUESTER_ROUTE.name) return REQUESTER_ROUTE;
  const next = book.routes.find((route) => route.name === name);
  return next && !visited.has(name) ? resolveAdminRoute(next, book, visited) : undefined;
}
