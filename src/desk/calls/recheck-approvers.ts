import type { Call } from '../../domain/calls/call.ts';
import { effectiveRequester } from '../../domain/calls/call-origin.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import type { Group } from '../../domain/people/person.ts';
import type { GroupProfile, WorkspaceMembership } from '../../domain/people/profile.ts';
import type { Route } from '../../domain/policy/route.ts';
import type { LookupOptions } from '../../domain/ports/directory.ts';
import { groupsToLookUp } from '../../domain/rules/decision-permission.ts';
import {
  type ClaimFacts,
  type KnownApprovers,
  ruleClaim,
} from '../../domain/rules/execution-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { DECIDER_MAX_AGE_MS } from '../people/lookup-age.ts';

/** What is known about the people who approved a call. */
export interface RecheckedApprovers {
  readonly voters: KnownApprovers;
  /** The first failed lookup. The approvers it concerns look as if they had no right. */
  readonly failure?: unknown;
}

const FRESH = { maxAgeMs: 0, mayWaitForLimit: true } as const;
/** For a vote that has just arrived, a profile as old as at a click will do. */
const AT_CLICK = { maxAgeMs: DECIDER_MAX_AGE_MS, mayWaitForLimit: true } as const;
const RECENT_VOTE_MS = 5_000;

/**
 * Looks up the people who approved a call. By default groups, and approvers who voted a while ago,
 * are not taken from the cache.
 */
export async function recheckApprovers(
  { clock, directory }: Pick<DeskDeps, 'clock' | 'directory'>,
  call: Call,
  route: Route,
  lookup: LookupOptions = FRESH,
): Promise<RecheckedApprovers> {
  const memberships = new Map<string, WorkspaceMembership>();
  const groups = new Map<Group, GroupProfile>();
  const now = clock.now();
  const toAsk = call.votes.flatMap(({ by }) =>
    groupsToLookUp(route, effectiveRequester(call, by), by, 'approve'),
  );
  const answers = await Promise.allSettled([
    ...call.votes.map(async ({ at, by }) => {
      const isRecentVote = now >= at && now - at < RECENT_VOTE_MS;
      const profile = await directory.profileOf(by, isRecentVote ? AT_CLICK : lookup);
      memberships.set(by.user, profile.standing);
    }),
    ...[...new Set(toAsk)].map(async (group) => {
      groups.set(group, await directory.groupOf(group, lookup));
    }),
  ]);
  const failed = answers.find((answer) => answer.status === 'rejected');
  return { voters: { memberships, groups }, ...(failed && { failure: failed.reason }) };
}

/** How many failed lookups of the approvers there are before they are asked to approve again. */
const VOTER_TRIES = 5;

/**
 * Rules on a claim with the looked-up approvers. Throws the failed lookup's error while it is worth
 * retrying.
 */
export function ruleWithApprovers(
  call: Call,
  facts: Omit<ClaimFacts, 'voters'>,
  asked: RecheckedApprovers | undefined,
  tries: number,
): Step {
  const step = ruleClaim(call, { ...facts, voters: asked?.voters });
  if (asked?.failure === undefined || step.cause !== 'recheck') return step;
  // An approver may only look unauthorized because the lookup failed.
  if (tries < VOTER_TRIES) throw asked.failure;
  return ruleClaim(call, { ...facts, voters: undefined });
}
