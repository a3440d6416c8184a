import type { Call } from '../../domain/calls/call.ts';
import { isAwayFromRequester } from '../../domain/cards/card-channel.ts';
import { type Group, isGroup } from '../../domain/people/person.ts';
import type { GroupProfile, Profile } from '../../domain/people/profile.ts';
import type { LookupOptions } from '../../domain/ports/directory.ts';
import {
  type ApproverAvailability,
  approverCandidatesOf,
  canApprove,
  toApproverAvailability,
} from '../../domain/rules/approver-availability.ts';
import { groupsNamedBy } from '../../domain/rules/decision-permission.ts';
import { rulingRouteOf } from '../../domain/rules/decision-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { REFUSAL_MAX_AGE_MS } from './lookup-age.ts';

/** How many group members are looked up at once, until enough can approve. */
const BATCH = 10;
/** People beyond this number are assumed to be able to approve. */
const MAX_LOOKUPS = 50;

/** Finds out who can approve a pending call. Rejects with the error of a failed lookup. */
export async function checkApprovers(
  deps: Pick<DeskDeps, 'directory'>,
  call: Call,
): Promise<ApproverAvailability> {
  const availability = await findApproverAvailability(deps, call, {});
  const mayBeStale =
    availability.gap !== undefined && groupsNamedBy(rulingRouteOf(call)).length > 0;
  // A cached group must not raise an alarm if somebody has just joined it.
  return mayBeStale
    ? await findApproverAvailability(deps, call, { maxAgeMs: REFUSAL_MAX_AGE_MS })
    : availability;
}

async function findApproverAvailability(
  { directory }: Pick<DeskDeps, 'directory'>,
  call: Call,
  lookup: LookupOptions,
): Promise<ApproverAvailability> {
  const route = rulingRouteOf(call);
  const groups = new Map<Group, GroupProfile>();
  await Promise.all(
    groupsNamedBy(route).map(async (group) => {
      groups.set(group, await directory.groupOf(group, lookup));
    }),
  );
  const profiles = new Map<string, Profile>();
  const candidates = approverCandidatesOf(call, groups);
  const named = route.approvers.filter((approver) => !isGroup(approver)).length;
  const isEnough = () =>
    candidates.filter((user) => canApprove(call, user, profiles.get(user))).length >= route.quorum;

  async function lookUp(users: readonly string[]): Promise<void> {
    await Promise.all(
      users.map(async (user) => {
        const person = { team: call.requester.team, user };
        profiles.set(user, await directory.profileOf(person));
      }),
    );
  }

  // The card names everyone whom the route names.
  await lookUp(candidates.slice(0, named));
  for (let i = named; i < Math.min(candidates.length, MAX_LOOKUPS) && !isEnough(); i += BATCH) {
    await lookUp(candidates.slice(i, i + BATCH));
  }
  const availability = toApproverAvailability(call, { profiles, groups });
  if (!isAwayFromRequester(call)) return availability;
  const { requester } = call;
  const { name } = profiles.get(requester.user) ?? (await directory.profileOf(requester));
  return { ...availability, asker: { person: requester.user, name } };
}
