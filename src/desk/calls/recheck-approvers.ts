import type { Call } from '../../domain/calls/call.ts';
import { effectiveRequester } from '../../domain/calls/call-origin.ts';
import {
  type ClaimFacts,
  type KnownApprovers,
  ruleClaim,
} from '../../domain/calls/execution-rules.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { groupsToLookUp } from '../../domain/people/decision-permission.ts';
import type { Group, Route } from '../../domain/policy/route.ts';
import type {
  GroupProfile,
  LookupOptions,
  WorkspaceMembership,
} from '../../domain/ports/directory.ts';
import { DECIDER_MAX_AGE_MS } from '../decisions/authorize.ts';
import type { DeskDeps } from '../deps.ts';

/** What could be found out of those who approved a call. */
export interface RecheckedApprovers {
  readonly voters: KnownApprovers;
  /** The first thing that could not be told: the voters concerned look as if they had no right. */
  readonly failure?: unknown;
}

const ANEW = { maxAgeMs: 0, mayWaitForLimit: true } as const;
/** Slack has just brought their press: what is known of them is as old as at a click. */
const OF_NOW = { maxAgeMs: DECIDER_MAX_AGE_MS, mayWaitForLimit: true } as const;
const NOW_MS = 5_000;

/** Asks the workspace once more about those who approved a call: by default who is in a group, and who pressed a while ago, is never taken from memory. */
export async function recheckApprovers(
  { clock, directory }: Pick<DeskDeps, 'clock' | 'directory'>,
  call: Call,
  route: Route,
  asking: LookupOptions = ANEW,
): Promise<RecheckedApprovers> {
  const standings = new Map<string, WorkspaceMembership>();
  const groups = new Map<Group, GroupProfile>();
  const now = clock.now();
  const toAsk = call.votes.flatMap(({ by }) =>
    groupsToLookUp(route, effectiveRequester(call, by), by, 'approve'),
  );
  const answers = await Promise.allSettled([
    ...call.votes.map(async ({ at, by }) => {
      const isOfNow = now >= at && now - at < NOW_MS;
      const profile = await directory.profileOf(by, isOfNow ? OF_NOW : asking);
      standings.set(by.user, profile.standing);
    }),
    ...[...new Set(toAsk)].map(async (group) => {
      groups.set(group, await directory.groupOf(group, asking));
    }),
  ]);
  const failed = answers.find((answer) => answer.status === 'rejected');
  return { voters: { standings, groups }, ...(failed && { failure: failed.reason }) };
}

/** How often the workspace is asked about those who approved before they are asked to press again. */
const VOTER_TRIES = 5;

/** Rules on a claim by what was found out; throws what kept it from being told, as long as it is worth trying again. */
export function ruleWithApprovers(
  call: Call,
  facts: Omit<ClaimFacts, 'voters'>,
  asked: RecheckedApprovers | undefined,
  tries: number,
): Step {
  const step = ruleClaim(call, { ...facts, voters: asked?.voters });
  if (asked?.failure === undefined || step.cause !== 'recheck') return step;
  // Whoever looks as if they might no longer approve may only not have been told of.
  if (tries < VOTER_TRIES) throw asked.failure;
  return ruleClaim(call, { ...facts, voters: undefined });
}
