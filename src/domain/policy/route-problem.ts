import type { AdminRoutes } from './admin-routes.ts';
import type { Policy } from './policy.ts';
import type { Route } from './route.ts';

/** What of a route a problem is about. */
export type RouteField =
  | 'name'
  | 'tools'
  | 'channel'
  | 'approvers'
  | 'quorum'
  /** Whose approval counts, and how. */
  | 'counts'
  | 'decisions'
  | 'deadline'
  | 'remindAfter'
  | 'escalateAfter'
  | 'escalateTo';

/** What is wrong with a field, in plain words with the remedy. */
export interface RouteProblem {
  readonly field: RouteField;
  readonly message: string;
}

/** What a route is judged beside. */
export interface RouteContext {
  readonly book: AdminRoutes;
  /** The policy file's; undefined where there is none. */
  readonly policy: Policy<Route> | undefined;
  /** Names of the tools that there are. */
  readonly tools: readonly string[];
  /** Who of the people that the route names can approve, those in its groups included. (Default: nobody was asked.) */
  readonly able?: ReadonlySet<string> | undefined;
}
