/**
 * Combines the policy's answer with an admin route set in Slack. Slack can only tighten: `run`
 * becomes `ask`, and if a rule already asks, both routes apply. Only the built-in default (the
 * requester confirms) is replaced by the admin's route. Without `mayLoosen`, no admin route skips
 * an approval or overrides a refusal.
 */
import { type Approver, type GateAnswer, REQUESTER_ROUTE, type Route } from './route.ts';

/**
 * Returns the gate's answer for a tool with an admin route. With `mayLoosen` that route replaces
 * the policy's answer.
 */
export function combineGateAnswer(
  answer: GateAnswer,
  slack: Route,
  { mayLoosen = false }: { readonly mayLoosen?: boolean } = {},
): GateAnswer {
  const { isInDoubt, policy, redact, rule } = answer;
  const source = {
    ...(isInDoubt && { isInDoubt }),
    ...(redact && { redact }),
    ...(policy !== undefined && { policy }),
    rule: `${rule === undefined ? '' : `${rule}, and `}the route “${slack.name}” set in Slack`,
  };
  if (answer.kind === 'ask') {
    const { kind, note, risk } = answer;
    const route = mayLoosen || isOpen(answer) ? slack : combineRoutes(answer.route, slack);
    return { kind, route, ...(risk && { risk }), ...(note !== undefined && { note }), ...source };
  }
  if (answer.kind === 'run' || mayLoosen) return { kind: 'ask', route: slack, ...source };
  return answer;
}

/** Returns whether only the built-in default applies, so that no rule has chosen who decides. */
function isOpen(answer: Extract<GateAnswer, { readonly kind: 'ask' }>): boolean {
  return answer.isDefault === true && answer.route.name === REQUESTER_ROUTE.name;
}

/**
 * Returns a route that satisfies both. The policy's escalation applies, and its channel comes
 * first.
 */
export function combineRoutes(base: Route, slack: Route): Route {
  const deadlineMs = Math.min(base.deadlineMs, slack.deadlineMs);
  const before = (ms: number | undefined) => (ms !== undefined && ms < deadlineMs ? ms : undefined);
  const remindAfterMs = before(least(base.remindAfterMs, slack.remindAfterMs));
  const channel = base.channel ?? slack.channel;
  const escalateMs = before(base.escalate?.afterMs);
  return {
    name: `${base.name} + ${slack.name}`,
    ...bothApprove(base, slack),
    quorum: Math.max(base.quorum, slack.quorum),
    selfApproval: base.selfApproval && slack.selfApproval,
    decisions: base.decisions.filter((decision) => slack.decisions.includes(decision)),
    deadlineMs,
    ...(channel !== undefined && { channel }),
    ...(remindAfterMs !== undefined && { remindAfterMs }),
    ...(base.escalate &&
      escalateMs !== undefined && {
        escalate: { afterMs: escalateMs, to: combineRoutes(base.escalate.to, slack) },
      }),
    ...((base.requiresReason || slack.requiresReason) && { requiresReason: true }),
    ...(base.allowsGuests && slack.allowsGuests && { allowsGuests: true }),
  };
}

/** Group members are unknown before the click. So keep both lists unless one contains the other. */
function bothApprove(base: Route, slack: Route): Pick<Route, 'approvers' | 'among'> {
  if (isWithin(slack.approvers, base.approvers)) return { approvers: slack.approvers };
  if (isWithin(base.approvers, slack.approvers)) return { approvers: base.approvers };
  return { approvers: slack.approvers, among: base.approvers };
}

function isWithin(inner: readonly Approver[], outer: readonly Approver[]): boolean {
  return inner.every((approver) => outer.includes(approver));
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
