/** Updates a pending call whose route or approvers have changed. This never approves it. */
import type { Call, Vote } from '../calls/call.ts';
import { isIntact } from '../calls/seal.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import type { GateAnswer, Risk, Route } from '../policy/route.ts';
import { formatDuration } from '../text/duration.ts';
import { joinSentences, type Sentence, sentence } from '../text/sentence.ts';
import { rulingRouteOf } from './decision-rules.ts';
import {
  explainLostApproval,
  type KnownApprovers,
  refuseCall,
  restartEscalation,
} from './execution-rules.ts';
import { reachedRouteOf } from './reminder-schedule.ts';

/** The facts needed to recheck a pending call. */
export interface RerouteFacts {
  readonly now: number;
  /** The policy's current answer. */
  readonly gate: GateAnswer;
  /** The tool's own risk; undefined if no longer known. */
  readonly risk?: Risk | undefined;
  /** The approvers' current membership; undefined if all approvals still count. */
  readonly voters: KnownApprovers | undefined;
}

/** A shortened deadline leaves people at least this long, so no change expires a call at once. */
const LAST_CALL_MS = 10 * 60_000;

/**
 * Returns the step that applies the current route; undefined if nothing changed or the policy is in
 * doubt.
 */
export function ruleReroute(call: Call, facts: RerouteFacts): Step | undefined {
  const { gate, now } = facts;
  if (!canFollow(call, now) || gate.isInDoubt) return undefined;
  if (gate.kind === 'refuse') return refuseCall(call, now, gate.reason);
  const route = routeFor(call, gate);
  const checkedVotes = call.votes.map((vote) => ({
    vote,
    lost: facts.voters && explainLostApproval(call, route, vote, facts.voters),
  }));
  const votes = checkedVotes.filter(({ lost }) => lost === undefined).map(({ vote }) => vote);
  const risk = riskOf(call, facts);
  const changes = describeChanges(call, route, risk);
  const isHidden = gate.redact?.some((path) => !call.redact?.includes(path)) ?? false;
  const isSame = isSameRoute(rulingRouteOf(call), route) && risk === call.risk && !isHidden;
  if (isSame && votes.length === call.votes.length) return undefined;
  const lost = checkedVotes.flatMap(({ lost: why, vote }) =>
    why === undefined ? [] : [sentence`${{ person: vote.by.user }} (${why})`],
  );
  return {
    ...moveTo(gate.kind === 'ask' && route === gate.route ? restartEscalation(call) : call, {
      now,
      route,
      risk,
      votes,
      note: describeReroute(changes, lost, votes.length >= route.quorum && votes.length > 0),
    }),
    detail: {
      before: rulingRouteOf(call).name,
      route: route.name,
      changed: changes.map(({ label }) => label),
      dropped: lost.length,
    },
  };
}

/** Expired and tampered calls have steps of their own. */
function canFollow(call: Call, now: number): boolean {
  const isOpen = call.status === 'pending' && call.route !== undefined;
  const isOver = call.deadlineAt !== undefined && now >= call.deadlineAt;
  return isOpen && !isOver && isIntact(call);
}

/** A call that would now run unasked still needs one click, because people have seen it. */
function routeFor(call: Call, gate: Exclude<GateAnswer, { readonly kind: 'refuse' }>): Route {
  if (gate.kind === 'ask') return reachedRouteOf(call, gate.route);
  const route = rulingRouteOf(call);
  return route.quorum === 1 ? route : { ...route, quorum: 1 };
}

function riskOf(call: Call, { gate, risk = call.risk }: RerouteFacts): Risk {
  if (gate.kind !== 'ask') return call.risk;
  return gate.risk ?? (call.outside ? call.risk : risk);
}

interface Move {
  readonly now: number;
  readonly route: Route;
  readonly risk: Risk;
  readonly votes: readonly Vote[];
  readonly note: Sentence;
}

/** New approvers get a new reminder period; for the same ones the time continues. */
function moveTo(call: Call, { now, route, ...rest }: Move): Step {
  const old = rulingRouteOf(call);
  const asksOthers = APPROVER_FIELDS.some((key) => !isSame(old[key], route[key]));
  const { remindedAt: _old, ...unreminded } = call;
  const since = call.pendingSince ?? call.createdAt;
  const deadlineAt =
    old.deadlineMs === route.deadlineMs && call.deadlineAt !== undefined
      ? call.deadlineAt
      : Math.max(since + route.deadlineMs, now + Math.min(route.deadlineMs, LAST_CALL_MS));
  return stepFrom(asksOthers ? unreminded : call, 'reroute', now, {
    status: 'pending',
    route,
    ...rest,
    deadlineAt,
    reroutedAt: now,
    ...(asksOthers && { pendingSince: now }),
  });
}

const APPROVER_FIELDS = [
  'approvers',
  'among',
  'selfApproval',
] as const satisfies readonly (keyof Route)[];

interface Change {
  readonly label: string;
  readonly words: string;
}

function describeChanges(call: Call, route: Route, risk: Risk): readonly Change[] {
  const old = rulingRouteOf(call);
  const differs = (keys: readonly (keyof Route)[]) =>
    keys.some((key) => !isSame(old[key], route[key]));
  const found: (Change | false)[] = [
    old.quorum !== route.quorum && {
      label: 'quorum',
      words: `it needs ${countApprovals(route.quorum)} instead of ${old.quorum}`,
    },
    differs(APPROVER_FIELDS) && { label: 'approvers', words: 'other people may decide' },
    old.channel !== route.channel && { label: 'channel', words: 'its card moves to another place' },
    old.deadlineMs !== route.deadlineMs && {
      label: 'deadline',
      words: `it expires after ${formatDuration(route.deadlineMs)}`,
    },
    differs(['decisions']) && { label: 'decisions', words: 'its buttons have changed' },
    differs(['requiresReason']) && {
      label: 'reason',
      words: route.requiresReason ? 'an approval needs a reason' : 'an approval needs no reason',
    },
    risk !== call.risk && { label: 'risk', words: `its risk is ${risk}` },
  ];
  return found.filter((change) => change !== false);
}

/** Formats a number of approvals for the middle of a sentence. */
function countApprovals(count: number): string {
  return count === 1 ? '1 approval' : `${count} approvals`;
}

function describeReroute(
  changes: readonly Change[],
  lost: readonly Sentence[],
  isEnough: boolean,
): Sentence {
  const sentences = [
    ...(changes.length === 0
      ? []
      : [`The route has changed: ${changes.map(({ words }) => words).join(', ')}.`]),
    ...(lost.length === 0
      ? []
      : [sentence`An approval no longer counts: ${joinSentences(lost, ', ')}.`]),
    ...(isEnough ? ['It has enough approvals now. Press Approve to run it.'] : []),
  ];
  return sentences.length === 0 ? 'The route has changed.' : joinSentences(sentences, ' ');
}

function isSameRoute(a: Route, b: Route): boolean {
  return isSame(a, b);
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(plain({ a: a ?? null })) === canonicalJson(plain({ a: b ?? null }));
}

/** Drops undefined fields, as storing does. */
function plain(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
