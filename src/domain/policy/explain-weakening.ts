import { formatDuration } from '../text/duration.ts';
import { matchesGlob } from '../text/glob.ts';
import type { AdminRouteDraft } from './admin-routes.ts';
import type { Policy, PolicyRuling } from './policy.ts';
import { countApprovers } from './policy-routes.ts';
import { REQUESTER_ROUTE, type Route } from './route.ts';
import type { RouteContext, RouteProblem } from './route-problem.ts';

/**
 * Finds where an admin route asks for less than the policy file does for the same tools. The gate
 * applies the stricter of both anyway, but the admin should know. Rules with a condition or for one
 * agent cover only some calls and are left to the gate.
 */
export function explainWeakening(
  draft: AdminRouteDraft,
  { policy, tools }: Pick<RouteContext, 'policy' | 'tools'>,
): readonly RouteProblem[] {
  if (!policy || policy.slackMayLoosen) return [];
  const meant = draft.tools.flatMap((pattern) => [
    pattern,
    ...(pattern.includes('*') ? tools.filter((tool) => matchesGlob(pattern, tool)) : []),
  ]);
  const problems = new Map<string, RouteProblem>();
  for (const tool of new Set(meant)) {
    const { name, ruling } = ruleOf(policy, tool);
    for (const problem of compare(draft, tool, name, ruling)) {
      if (!problems.has(problem.field)) problems.set(problem.field, problem);
    }
  }
  return [...problems.values()];
}

/** Finds the rule that always applies to a tool. */
function ruleOf(
  { fallback, rules }: Policy<Route>,
  tool: string,
): { readonly name: string; readonly ruling: PolicyRuling<Route> } {
  const rule = rules.find(
    ({ agents, condition, tools }) =>
      !agents && !condition && tools.some((glob) => matchesGlob(glob, tool)),
  );
  if (rule) return rule;
  const { ruling } = fallback;
  // The built-in default gives way to admin routes.
  const isOpen = ruling.gate === 'ask' && ruling.route.name === REQUESTER_ROUTE.name;
  return isOpen ? { ...fallback, ruling: { gate: 'run' } } : fallback;
}

function compare(
  draft: AdminRouteDraft,
  tool: string,
  rule: string,
  ruling: PolicyRuling<Route>,
): readonly RouteProblem[] {
  if (ruling.gate === 'run') return [];
  const start = `This would loosen ${rule} of the policy file:`;
  if (ruling.gate === 'refuse') {
    return [{ field: 'tools', message: `${start} it refuses “${tool}”.` }];
  }
  const { route } = ruling;
  return DIFFERENCES.flatMap(({ field, find }) => {
    const less = find(draft, route);
    return less === undefined ? [] : [{ field, message: `${start} ${less}` }];
  });
}

interface Difference {
  readonly field: RouteProblem['field'];
  /** Describes the requirement that the draft does not meet; undefined if it does. */
  readonly find: (draft: AdminRouteDraft, route: Route) => string | undefined;
}

const DIFFERENCES: readonly Difference[] = [
  {
    field: 'quorum',
    find: ({ quorum }, route) =>
      quorum < route.quorum ? `it asks for ${countOf(route.quorum)} approvals.` : undefined,
  },
  {
    field: 'counts',
    find: ({ selfApproval }, route) =>
      selfApproval && !route.selfApproval
        ? 'it does not count approvals of one’s own calls.'
        : undefined,
  },
  {
    field: 'counts',
    find: ({ requiresReason }, route) =>
      route.requiresReason && !requiresReason ? 'it asks for a reason.' : undefined,
  },
  {
    field: 'counts',
    find: ({ allowsGuests }, route) =>
      allowsGuests && !route.allowsGuests ? 'it does not let guests decide.' : undefined,
  },
  {
    field: 'decisions',
    find: ({ decisions }, route) => {
      const more = decisions.filter((decision) => !route.decisions.includes(decision));
      return more.length > 0 ? `it does not allow “${more.join('”, “')}”.` : undefined;
    },
  },
  {
    field: 'deadline',
    find: ({ deadlineMs }, route) =>
      deadlineMs > route.deadlineMs
        ? `its deadline is ${formatDuration(route.deadlineMs)}.`
        : undefined,
  },
  {
    field: 'approvers',
    find: ({ approvers }, route) => {
      const isFixed = countApprovers(route.approvers, true) !== undefined;
      const isMore = approvers.some((each) => !route.approvers.includes(each));
      return isFixed && isMore ? 'it names other approvers.' : undefined;
    },
  },
  {
    field: 'channel',
    find: ({ channel }, route) =>
      channel !== undefined && route.channel !== undefined && channel !== route.channel
        ? 'it sends its cards to another channel.'
        : undefined,
  },
  {
    field: 'escalateTo',
    find: ({ escalate }) =>
      escalate ? 'only the file can set where its calls escalate.' : undefined,
  },
];

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function countOf(count: number): string {
  return WORDS[count] ?? String(count);
}
