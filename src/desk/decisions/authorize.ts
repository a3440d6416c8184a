/**
 * The one question whether a person may make a decision on a call: every surface asks it here, and
 * what decides takes no other answer. Who they are and who belongs to a group is asked of the
 * workspace each time; what can't be told now is not allowed.
 */
import type { Call } from '../../domain/calls/call.ts';
import { effectiveRequester, explainUnsupportedDecision } from '../../domain/calls/call-origin.ts';
import { rulingRouteOf } from '../../domain/calls/decision-rules.ts';
import {
  checkDecisionPermission,
  groupsToLookUp,
  type Permission,
} from '../../domain/people/decision-permission.ts';
import type { Person } from '../../domain/people/person.ts';
import type { DecisionKind, Group } from '../../domain/policy/route.ts';
import type { GroupProfile } from '../../domain/ports/directory.ts';
import type { DeskDeps } from '../deps.ts';
import { PROFILE_UNAVAILABLE } from './find-profile.ts';

/** How old what is known of people may be when they decide. */
export const DECIDER_MAX_AGE_MS = 60_000;
/** How old what is known of groups may be where a person is refused for it, or nobody is found. */
export const REFUSAL_MAX_AGE_MS = 5_000;

/** The answer for one person. */
export interface Authorization {
  readonly permission: Permission;
  /** What kept the workspace from telling who they are, or who is in a group: it may be otherwise soon. */
  readonly failure?: unknown;
}

export type Authorize = (
  call: Call,
  person: Person,
  decision: DecisionKind,
) => Promise<Authorization>;

/** Builds the question; for what settles a call, the decision is to approve. */
export function createAuthorize({
  directory,
  log,
}: Pick<DeskDeps, 'directory' | 'log'>): Authorize {
  return async function authorize(call, person, decision) {
    const asked = groupsToLookUp(
      rulingRouteOf(call),
      effectiveRequester(call, person),
      person,
      decision,
    );
    const found = await ask(call, person, decision, asked, DECIDER_MAX_AGE_MS);
    const isRefused = found.permission.kind === 'not-allowed' && found.failure === undefined;
    // Nobody who has just come into a group is refused from memory.
    return isRefused && asked.length > 0
      ? await ask(call, person, decision, asked, REFUSAL_MAX_AGE_MS)
      : found;
  };

  async function ask(
    call: Call,
    person: Person,
    decision: DecisionKind,
    asked: readonly Group[],
    groupAgeMs: number,
  ): Promise<Authorization> {
    // At once: a click is answered before Slack's three seconds are over.
    const [who, ...answers] = await Promise.allSettled([
      directory.profileOf(person, { maxAgeMs: DECIDER_MAX_AGE_MS }),
      ...asked.map((group) => directory.groupOf(group, { maxAgeMs: groupAgeMs })),
    ] as const);
    if (who.status === 'rejected') {
      return unclear({ kind: 'nobody', why: PROFILE_UNAVAILABLE }, who.reason, person, call);
    }
    const groups = new Map<Group, GroupProfile>();
    let failed: PromiseRejectedResult | undefined;
    asked.forEach((group, i) => {
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
    // A group that could not be asked might be theirs, but does not take away what another gives.
    if (failed === undefined || permission.kind !== 'not-allowed') return { permission };
    return unclear({ kind: 'not-allowed', why: NO_GROUP }, failed.reason, person, call);
  }

  function unclear(
    permission: Permission,
    failure: unknown,
    person: Person,
    call: Call,
  ): Authorization {
    log.warn({ err: failure, person, call: call.id }, 'Nobody told whether a person may decide.');
    return { permission, failure };
  }
}

const NO_GROUP =
  'Slack does not tell me right now who may decide this, so nothing happened. Please try again.';
