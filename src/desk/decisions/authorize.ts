/**
 * Checks whether a person may make a decision on a call; every surface uses it. What can't be
 * looked up is not allowed. The claim checks all approvers again (`recheck-approvers.ts`).
 */
import type { Call } from '../../domain/calls/call.ts';
import { effectiveRequester, explainUnsupportedDecision } from '../../domain/calls/call-origin.ts';
import type { Group, Person } from '../../domain/people/person.ts';
import type { GroupProfile } from '../../domain/people/profile.ts';
import type { DecisionKind } from '../../domain/policy/route.ts';
import {
  checkDecisionPermission,
  groupsToLookUp,
  type Permission,
} from '../../domain/rules/decision-permission.ts';
import { rulingRouteOf } from '../../domain/rules/decision-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { PROFILE_UNAVAILABLE } from '../people/find-profile.ts';
import { DECIDER_MAX_AGE_MS, REFUSAL_MAX_AGE_MS } from '../people/lookup-age.ts';

/** The result for one person. */
export interface Authorization {
  readonly permission: Permission;
  /** The failed lookup of the person or a group, if any. The result may change soon. */
  readonly failure?: unknown;
}

export type Authorize = (
  call: Call,
  person: Person,
  decision: DecisionKind,
) => Promise<Authorization>;

type LookUpDeps = Pick<DeskDeps, 'directory' | 'log'>;

/** Builds the check. Settling a call with an unknown outcome counts as approving. */
export function createAuthorize(deps: LookUpDeps): Authorize {
  return async function authorize(call, person, decision) {
    const groupIds = groupsToLookUp(
      rulingRouteOf(call),
      effectiveRequester(call, person),
      person,
      decision,
    );
    const found = await lookUp(deps, call, person, decision, groupIds, DECIDER_MAX_AGE_MS);
    const isRefused = found.permission.kind === 'not-allowed' && found.failure === undefined;
    // A person who has just joined a group must not be refused because of a cached list.
    return isRefused && groupIds.length > 0
      ? await lookUp(deps, call, person, decision, groupIds, REFUSAL_MAX_AGE_MS)
      : found;
  };
}

async function lookUp(
  { directory, log }: LookUpDeps,
  call: Call,
  person: Person,
  decision: DecisionKind,
  groupIds: readonly Group[],
  groupAgeMs: number,
): Promise<Authorization> {
  // In parallel: a click must be answered within Slack's 3 seconds.
  const [who, ...answers] = await Promise.allSettled([
    directory.profileOf(person, { maxAgeMs: DECIDER_MAX_AGE_MS }),
    ...groupIds.map((group) => directory.groupOf(group, { maxAgeMs: groupAgeMs })),
  ] as const);
  if (who.status === 'rejected') {
    logFailure(log, who.reason, person, call);
    return { permission: { kind: 'nobody', why: PROFILE_UNAVAILABLE }, failure: who.reason };
  }
  const groups = new Map<Group, GroupProfile>();
  let failed: PromiseRejectedResult | undefined;
  groupIds.forEach((group, i) => {
    const answer = answers[i];
    if (answer?.status === 'fulfilled') groups.set(group, answer.value);
    else failed = answer;
  });
  const { standing } = who.value;
  const known = { standing, groups };
  const requester = effectiveRequester(call, person);
  const permitted = checkDecisionPermission(
    rulingRouteOf(call),
    requester,
    person,
    decision,
    known,
  );
  const why =
    permitted.kind === 'not-allowed' ? explainUnsupportedDecision(call, decision) : undefined;
  const permission = why === undefined ? permitted : ({ kind: 'not-allowed', why } as const);
  // The failed group might contain the person. A permission that another group gives still holds.
  if (failed === undefined || permission.kind !== 'not-allowed') return { permission };
  logFailure(log, failed.reason, person, call);
  return {
    permission: { kind: 'not-allowed', why: GROUPS_UNAVAILABLE },
    failure: failed.reason,
  };
}

function logFailure(log: DeskDeps['log'], failure: unknown, person: Person, call: Call): void {
  log.warn(
    { err: failure, person, call: call.id },
    'Could not look up whether a person may decide.',
  );
}

const GROUPS_UNAVAILABLE =
  'I can’t look up in Slack who may decide this right now, so nothing happened. Please try again.';
