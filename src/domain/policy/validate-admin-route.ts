/** Validates an admin route: by itself, against other routes, and against the policy file. */

import { formatDuration } from '../text/duration.ts';
import { type AdminRouteDraft, type AdminRoutes, MAX_ADMIN_ROUTES } from './admin-routes.ts';
import { explainWeakening } from './explain-weakening.ts';
import type { Policy } from './policy.ts';
import { countApprovers } from './policy-routes.ts';
import { REQUESTER_ROUTE, type Route } from './route.ts';
import type { RouteContext, RouteField, RouteProblem } from './route-problem.ts';

/** A deadline further away is as good as none. */
const MAX_SPAN_MS = 30 * 86_400_000;
const MAX_QUORUM = 50;
/** Keeps the list within one form field. */
const MAX_TOOLS = 40;
const MAX_APPROVERS = 50;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const GLOB = /^[\p{L}\p{N}_.:/*-]{1,70}$/u;
const APPROVER =
  /^(?:requester|user:[UW][A-Z0-9]{1,39}|usergroup:S[A-Z0-9]{1,39}|channel:[CG][A-Z0-9]{1,39})$/;

/** Lists everything wrong with a draft. Drafts with problems must not be saved. */
export function validateAdminRoute(
  draft: AdminRouteDraft,
  context: RouteContext,
): readonly RouteProblem[] {
  return [
    ...checkName(draft, context),
    ...checkTools(draft, context),
    ...checkApprovers(draft, context.able),
    ...checkTimes(draft),
    ...checkEscalation(draft, context.book),
    ...explainWeakening(draft, context),
  ];
}

function checkName(
  { name }: AdminRouteDraft,
  { book, policy }: RouteContext,
): readonly RouteProblem[] {
  const isNew = !book.routes.some((route) => route.name === name);
  if (isNew && book.routes.length >= MAX_ADMIN_ROUTES) {
    return problem('name', `There are ${MAX_ADMIN_ROUTES} routes already. Remove one first.`);
  }
  if (name === REQUESTER_ROUTE.name) {
    return problem('name', `The route “${name}” is built in. Give this one another name.`);
  }
  if (!NAME.test(name)) {
    return problem('name', 'Use 1 to 40 letters, digits, “-” or “_”, starting with a letter.');
  }
  const isOfFile = isNew && policy !== undefined && routeNames(policy).has(name);
  return isOfFile
    ? problem('name', `The policy file has a route “${name}”. Give this one another name.`)
    : [];
}

/** Names of the routes that the policy's rules use. */
function routeNames({ fallback, rules }: Policy<Route>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { ruling } of [...rules, fallback]) {
    let at: Route | undefined = ruling.gate === 'ask' ? ruling.route : undefined;
    for (; at; at = at.escalate?.to) names.add(at.name);
  }
  return names;
}

function checkTools(
  { name, tools }: AdminRouteDraft,
  { book }: RouteContext,
): readonly RouteProblem[] {
  if (tools.length > MAX_TOOLS) return problem('tools', `At most ${MAX_TOOLS} tools and patterns.`);
  const bad = tools.find((tool) => !GLOB.test(tool));
  if (bad !== undefined) {
    return problem('tools', `“${bad}” is not a tool name. Use * to match anything, as in pay_*.`);
  }
  for (const other of book.routes) {
    const taken =
      other.name === name ? undefined : tools.find((tool) => other.tools.includes(tool));
    if (taken !== undefined) {
      return problem(
        'tools',
        `“${taken}” is already on the route “${other.name}”. Remove it there first.`,
      );
    }
  }
  return [];
}

function checkApprovers(
  draft: AdminRouteDraft,
  able: RouteContext['able'],
): readonly RouteProblem[] {
  const { approvers, decisions, quorum } = draft;
  if (approvers.length === 0) {
    return problem('approvers', 'Nobody could decide: choose at least one person or group.');
  }
  const invalid = approvers.find((approver) => !APPROVER.test(approver));
  if (invalid !== undefined) {
    return problem('approvers', `“${invalid}” is not a person, user group or channel.`);
  }
  if (approvers.length > MAX_APPROVERS) {
    return problem('approvers', `At most ${MAX_APPROVERS} people and groups.`);
  }
  if (!decisions.includes('approve')) {
    return problem('decisions', 'Include “Approve”; without it, nothing can run.');
  }
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > MAX_QUORUM) {
    return problem('quorum', `A whole number from 1 to ${MAX_QUORUM}.`);
  }
  return checkQuorum(draft, able);
}

function checkQuorum(draft: AdminRouteDraft, able: RouteContext['able']): readonly RouteProblem[] {
  const { approvers, quorum } = draft;
  const counting = countAble(draft, able);
  if (counting === undefined || quorum <= counting) return [];
  if (counting === 0) {
    const isOwn = approvers.every((each) => each === 'requester');
    return problem(
      'approvers',
      isOwn ? ONLY_OWN : 'Nobody among these can approve. Choose others.',
    );
  }
  const needed = quorum === 1 ? '1 is needed' : `${quorum} are needed`;
  const only = counting === 1 ? 'Only 1 person' : `Only ${counting} people`;
  return problem('quorum', `${only} can approve; ${needed}.`);
}

const ONLY_OWN =
  'Only the requester could decide, but their own approval does not count here. Choose others, or let it count.';

/** Counts who can approve. The requester adds one if their own approval counts. */
function countAble(
  { approvers, selfApproval }: AdminRouteDraft,
  able: RouteContext['able'],
): number | undefined {
  if (!able) return countApprovers(approvers, selfApproval);
  return able.size + (selfApproval && approvers.includes('requester') ? 1 : 0);
}

function checkTimes({ deadlineMs, remindAfterMs, escalate }: AdminRouteDraft) {
  const tooLate = `Must be before the deadline of ${formatDuration(deadlineMs)}.`;
  return [
    ...(deadlineMs > MAX_SPAN_MS
      ? problem('deadline', `At most ${formatDuration(MAX_SPAN_MS)}.`)
      : []),
    ...(remindAfterMs !== undefined && remindAfterMs >= deadlineMs
      ? problem('remindAfter', tooLate)
      : []),
    ...(escalate && escalate.afterMs >= deadlineMs ? problem('escalateAfter', tooLate) : []),
  ];
}

function checkEscalation(
  { escalate, name }: AdminRouteDraft,
  { routes }: AdminRoutes,
): readonly RouteProblem[] {
  if (!escalate || escalate.to === REQUESTER_ROUTE.name) return [];
  if (!routes.some((route) => route.name === escalate.to)) {
    return problem('escalateTo', `The route “${escalate.to}” does not exist.`);
  }
  const seen = new Set<string>();
  let at: string | undefined = escalate.to;
  while (at !== undefined && !seen.has(at)) {
    if (at === name) return problem('escalateTo', 'This escalation leads back to the same route.');
    seen.add(at);
    at = routes.find((route) => route.name === at)?.escalate?.to;
  }
  return [];
}

/** Lists the routes that escalate to this one. */
export function routesEscalatingTo(name: string, { routes }: AdminRoutes): readonly string[] {
  return routes.filter(({ escalate }) => escalate?.to === name).map((route) => route.name);
}

function problem(field: RouteField, message: string): readonly RouteProblem[] {
  return [{ field, message }];
}
