import type { AdminRoutes } from './admin-routes.ts';
import type { Policy } from './policy.ts';
import type { Route } from './route.ts';

/** The field of a route's form that a problem is about. */
export type RouteField =
  | 'name'
  | 'tools'
  | 'channel'
  | 'approvers'
  | 'quorum'
  /** Self-approval, reasons and guests. */
  | 'counts'
  | 'decisions'
  | 'deadline'
  | 'remindAfter'
  | 'escalateAfter'
  | 'escalateTo';

/** What is wrong with a field, and how to fix it. */
export interface RouteProblem {
  readonly field: RouteField;
  readonly message: string;
}

/** What a route is checked against. */
export interface RouteContext {
  readonly book: AdminRoutes;
  /** Routes of the policy file; undefined without one. */
  readonly policy: Policy<Route> | undefined;
  /** Names of the existing tools. */
  readonly tools: readonly string[];
  /** The people on the route, group members included, who can approve. (Default: not checked.) */
  readonly able?: ReadonlySet<string> | undefined;
}
