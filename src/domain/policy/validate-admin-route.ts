/** What is wrong with a route that an admin wants to set in Slack: in itself, beside the others, and beside the policy file. */

import { formatDuration } from '../text/duration.ts';
import { type AdminRouteDraft, type AdminRoutes, MAX_ADMIN_ROUTES } from './admin-routes.ts';
import { explainWeakening } from './explain-weakening.ts';
import type { Policy } from './policy.ts';
import { countApprovers } from './policy-routes.ts';
import { REQUESTER_ROUTE, type Route } from './route.ts';
import type { RouteContext, RouteField, RouteProblem } from './route-problem.ts';

/** A deadline that lies further away is none. */
const MAX_SPAN_MS = 30 * 86_400_000;
const MAX_QUORUM = 50;
/** All of them fit into one field of a form. */
const MAX_TOOLS = 40;
const MAX_APPROVERS = 50;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const GLOB = /^[\p{L}\p{N}_.:/*-]{1,70}$/u;
const APPROVER =
  /^(?:requester|user:[UW][A-Z0-9]{1,39}|usergroup:S[A-Z0-9]{1,39}|channel:[CG][A-Z0-9]{1,39})$/;

/** Finds all that is wrong with a draft; none may be saved that has a problem. */
export function validateAdminRoute(
  draft: AdminRouteDraft,
  around: RouteContext,
): readonly RouteProblem[] {
  return [
    ...judgeName(draft, around),
    ...judgeTools(draft, around),
    ...judgeApprovers(draft, around.able),
    ...judgeSpans(draft),
    ...judgeEscalation(draft, around.book),
    ...explainWeakening(draft, around),
  ];
}

function judgeName(
  { name }: AdminRouteDraft,
  { book, policy }: RouteContext,
): readonly RouteProblem[] {
  const isNew = !book.routes.some((route) => route.name === name);
  if (isNew && book.routes.length >= MAX_ADMIN_ROUTES) {
    return wrong('name', `There are ${MAX_ADMIN_ROUTES} routes already. Take one away first.`);
  }
  if (name === REQUESTER_ROUTE.name) {
    return wrong('name', `The route “${name}” is built in. Give this one another name.`);
  }
  if (!NAME.test(name)) {
    return wrong('name', 'Letters, digits, “-” and “_” alone, a letter first, at most 40.');
  }
  const isOfFile = isNew && policy !== undefined && routeNames(policy).has(name);
  return isOfFile
    ? wrong('name', `The policy file has a route “${name}”. Give this one another name.`)
    : [];
}

/** Names of the routes that rules of a policy lead to. */
function routeNames({ fallback, rules }: Policy<Route>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { ruling } of [...rules, fallback]) {
    let at: Route | undefined = ruling.gate === 'ask' ? ruling.route : undefined;
    for (; at; at = at.escalate?.to) names.add(at.name);
  }
  return names;
}

function judgeTools(
  { name, tools }: AdminRouteDraft,
  { book }: RouteContext,
): readonly RouteProblem[] {
  if (tools.length > MAX_TOOLS) return wrong('tools', `At most ${MAX_TOOLS} tools and patterns.`);
  const bad = tools.find((tool) => !GLOB.test(tool));
  if (bad !== undefined) {
    return wrong('tools', `“${bad}” is no name of a tool. * stands for anything, as in pay_*.`);
  }
  for (const other of book.routes) {
    const taken =
      other.name === name ? undefined : tools.find((tool) => other.tools.includes(tool));
    if (taken !== undefined) {
      return wrong(
        'tools',
        `“${taken}” goes by the route “${other.name}”. Take it away there first.`,
      );
    }
  }
  return [];
}

function judgeApprovers(
  draft: AdminRouteDraft,
  able: RouteContext['able'],
): readonly RouteProblem[] {
  const { approvers, decisions, quorum } = draft;
  if (approvers.length === 0) {
    return wrong('approvers', 'Nobody could decide: choose at least one person or group.');
  }
  const stranger = approvers.find((approver) => !APPROVER.test(approver));
  if (stranger !== undefined) {
    return wrong('approvers', `“${stranger}” is no person, user group or channel.`);
  }
  if (approvers.length > MAX_APPROVERS) {
    return wrong('approvers', `At most ${MAX_APPROVERS} people and groups.`);
  }
  if (!decisions.includes('approve')) {
    return wrong('decisions', 'Without “Approve” nothing could ever run.');
  }
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > MAX_QUORUM) {
    return wrong('quorum', `A whole number from 1 to ${MAX_QUORUM}.`);
  }
  return judgeQuorum(draft, able);
}

function judgeQuorum(draft: AdminRouteDraft, able: RouteContext['able']): readonly RouteProblem[] {
  const { approvers, quorum } = draft;
  const counting = countAble(draft, able);
  if (counting === undefined || quorum <= counting) return [];
  if (counting === 0) {
    const isOwn = approvers.every((each) => each === 'requester');
    return wrong('approvers', isOwn ? ONLY_OWN : 'Nobody among these can approve. Choose others.');
  }
  const needed = quorum === 1 ? '1 is needed' : `${quorum} are needed`;
  const only = counting === 1 ? 'Only 1 person' : `Only ${counting} people`;
  return wrong('quorum', `${only} can approve; ${needed}.`);
}

const ONLY_OWN =
  'Only the person who asked would decide, whose approval does not count here. Choose others, or let it count.';

/** Counts those who can approve; whoever asks is one more where their own approval counts, unless they are one of them anyhow. */
function countAble(
  { approvers, selfApproval }: AdminRouteDraft,
  able: RouteContext['able'],
): number | undefined {
  if (!able) return countApprovers(approvers, selfApproval);
  return able.size + (selfApproval && approvers.includes('requester') ? 1 : 0);
}

function judgeSpans({ deadlineMs, remindAfterMs, escalate }: AdminRouteDraft) {
  const late = `That is not before the deadline of ${formatDuration(deadlineMs)}: it would never come.`;
  return [
    ...(deadlineMs > MAX_SPAN_MS
      ? wrong('deadline', `At most ${formatDuration(MAX_SPAN_MS)}.`)
      : []),
    ...(remindAfterMs !== undefined && remindAfterMs >= deadlineMs
      ? wrong('remindAfter', late)
      : []),
    ...(escalate && escalate.afterMs >= deadlineMs ? wrong('escalateAfter', late) : []),
  ];
}

function judgeEscalation(
  { escalate, name }: AdminRouteDraft,
  { routes }: AdminRoutes,
): readonly RouteProblem[] {
  if (!escalate || escalate.to === REQUESTER_ROUTE.name) return [];
  if (!routes.some((route) => route.name === escalate.to)) {
    return wrong('escalateTo', `There is no route “${escalate.to}” (any more).`);
  }
  const seen = new Set<string>();
  let at: string | undefined = escalate.to;
  while (at !== undefined && !seen.has(at)) {
    if (at === name) return wrong('escalateTo', 'That leads back to this route.');
    seen.add(at);
    at = routes.find((route) => route.name === at)?.escalate?.to;
  }
  return [];
}

/** Tells which other routes lead to one by escalation. */
export function routesEscalatingTo(name: string, { routes }: AdminRoutes): readonly string[] {
  return routes.filter(({ escalate }) => escalate?.to === name).map((route) => route.name);
}

function wrong(field: RouteField, message: string): readonly RouteProblem[] {
  return [{ field, message }];
}
