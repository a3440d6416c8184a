/**
 * What becomes of the policy's answer where an admin has set a route in Slack. Slack tightens:
 * `run` becomes `ask`, and where a rule asks already, both hold. Only the built-in answer for what no
 * rule speaks of, the requester's own confirmation, gives way to the admin's route. Nothing that
 * Slack says lets a call run unasked, or one pass that the policy refuses.
 */
import { type Approver, type GateAnswer, REQUESTER_ROUTE, type Route } from './route.ts';

/** Returns the answer for a call whose tool goes by a route that is set in Slack; with `mayLoosen` that route stands in place of whatever the policy says. */
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

/** Tells whether nobody has said of a call who decides it, but for the built-in rule. */
function isOpen(answer: Extract<GateAnswer, { readonly kind: 'ask' }>): boolean {
  return answer.isDefault === true && answer.route.name === REQUESTER_ROUTE.name;
}

/** Returns the route on which a decision has to satisfy both; how it escalates, and where its card goes, is the policy's to say first. */
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

/** Who is in a group is not known before the click, so both lists stay where neither holds the other. */
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
