import { formatAgent } from '../../domain/policy/agent-name.ts';
import type { Evaluation, SkippedRule } from '../../domain/policy/policy.ts';
import { type DraftRoute, isPolicyName } from '../../domain/policy/policy-routes.ts';
import type { GateFacts } from '../../domain/policy/route.ts';
import { formatDuration } from '../../domain/text/duration.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import type { AdminRouteEffect } from './explain-admin-routes.ts';

/** What the policy would do with a call. */
export interface Explanation {
  /** Undefined if the built-in rules apply. */
  readonly file: string | undefined;
  readonly hash: string | undefined;
  readonly facts: GateFacts;
  readonly evaluation: Evaluation<string>;
  /** The route, if people are asked. */
  readonly route: DraftRoute | undefined;
  /** Paths of arguments that the policy hides. */
  readonly redact: readonly string[];
  /** The route set in Slack that applies. */
  readonly slack?: AdminRouteEffect['slack'];
  /** Assumptions, as sentences. */
  readonly assumed: readonly string[];
}

/** Describes the explanation for people. */
export function describeExplanation(explanation: Explanation): string {
  const { assumed, evaluation, facts, file, redact, route, slack } = explanation;
  const { failure, passedOver, rule, ruling } = evaluation;
  const by = file === undefined ? `by ${rule}` : `by ${rule} of ${file}.`;
  const lines = [`${facts.tool} ${VERBS[ruling.gate]}, ${by}`];
  if (facts.agent) lines.push(`The call is made by ${formatAgent(facts.agent)}.`);
  if (slack) {
    const how =
      slack.how === 'instead'
        ? 'replaces the rules'
        : 'applies beside the rules, and the stricter one counts';
    lines.push(`The route “${slack.route}”, set in Slack, ${how}.`);
  }
  lines.push(...describeFailure(failure, ruling.gate));
  if (ruling.gate === 'refuse') lines.push(`  reason     ${ruling.reason}`);
  if (route) {
    const risk = ruling.gate === 'ask' ? ruling.risk : undefined;
    lines.push(...describeRoute(route, facts), `  risk       ${risk ?? facts.risk}`);
  }
  lines.push(...describeRedacted(redact));
  for (const { rule: other, why } of passedOver)
    lines.push(`Skipped ${other}: ${describeSkippedRule(why, facts)}.`);
  for (const each of assumed) lines.push(`Assumed: ${each}`);
  // Escape line breaks inside a line: they come from quoted text.
  return lines.map(toTerminalLine).join('\n');
}

function describeFailure(
  failure: string | undefined,
  gate: Evaluation<string>['ruling']['gate'],
): readonly string[] {
  if (failure === undefined) return [];
  return [`The condition of this rule can't be evaluated: ${failure}${ON_FAILURE[gate]}`];
}

function describeRedacted(redact: readonly string[]): readonly string[] {
  return redact.length === 0 ? [] : [`  hides      ${redact.join(', ')}`];
}

const VERBS = {
  run: 'would run without asking',
  ask: 'would wait for approval',
  refuse: 'would be refused',
} as const;

const ON_FAILURE = {
  run: ' It runs anyway (onPolicyError: run).',
  ask: ' So people are asked.',
  refuse: ' So the call is refused.',
} as const;

const WHY_NOT: Readonly<Record<SkippedRule['why'], string>> = {
  tool: 'it applies to other tools',
  agent: 'it applies to another agent',
  condition: 'its condition is false',
  failure: 'its condition can’t be evaluated',
};

function describeSkippedRule(why: SkippedRule['why'], { isOutside }: GateFacts): string {
  return why === 'agent' && isOutside
    ? 'it applies to others, or allows runs without naming this program'
    : WHY_NOT[why];
}

function describeRoute(route: DraftRoute, { isOutside }: GateFacts): readonly string[] {
  const { channel, decisions, deadlineMs, escalate, quorum, remindAfterMs, selfApproval } = route;
  const home = isOutside ? 'the channel that the program names' : 'the thread';
  const self = selfApproval
    ? 'the requester’s own approval counts'
    : 'the requester’s own approval does not count';
  const time = [
    formatDuration(deadlineMs),
    ...(remindAfterMs === undefined ? [] : [`a reminder after ${formatDuration(remindAfterMs)}`]),
    ...(escalate
      ? [`after ${formatDuration(escalate.afterMs)} it escalates to the route “${escalate.to}”`]
      : []),
  ];
  return [
    `  route      ${route.name}`,
    `  card       in ${channel === undefined ? home : describePlace(channel)}`,
    `  approvers  ${describeApprovers(route)}`,
    `  quorum     ${quorum} ${quorum === 1 ? 'approval' : 'approvals'}; ${self}`,
    `  allows     ${decisions.join(', ')}${route.requiresReason ? '; an approval needs a reason' : ''}`,
    `  deadline   ${time.join('; ')}`,
  ];
}

function describeApprovers({ among, approvers }: DraftRoute): string {
  const those = approvers.map(describeApprover).join(', ') || 'nobody, so the call would expire';
  return among
    ? `${those}; of these only those who are also ${among.map(describeApprover).join(', ')}`
    : those;
}

const LOOKED_UP = 'a name, looked up at the start';

function describePlace(channel: string): string {
  return isPolicyName(channel) ? `${channel} (${LOOKED_UP})` : `channel ${channel}`;
}

function describeApprover(approver: string): string {
  if (approver === 'requester') return 'the requester';
  if (isPolicyName(approver)) return `${approver} (${LOOKED_UP})`;
  const [kind = '', id = ''] = approver.split(':');
  return `${KINDS[kind] ?? kind} ${id}`;
}

const KINDS: Readonly<Record<string, string>> = {
  user: 'person',
  usergroup: 'user group',
  channel: 'members of channel',
};

/** Returns the explanation as JSON for programs. Durations are in milliseconds. */
export function explanationToJson(explanation: Explanation): object {
  const { assumed, evaluation, facts, file, hash, redact, route, slack } = explanation;
  const { failure, passedOver, rule, ruling } = evaluation;
  return {
    ...(file !== undefined && { file, policy: hash }),
    tool: facts.tool,
    args: facts.args,
    ...(facts.agent && { agent: formatAgent(facts.agent) }),
    rule,
    gate: ruling.gate,
    ...(ruling.gate === 'refuse' && { reason: ruling.reason }),
    ...(route && { route, risk: (ruling.gate === 'ask' && ruling.risk) || facts.risk }),
    ...(redact.length > 0 && { redact }),
    ...(slack && { slack }),
    ...(failure !== undefined && { failure }),
    passedOver,
    assumed,
  };
}
