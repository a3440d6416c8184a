import type { Call } from '../../domain/calls/call.ts';
import { rulingRouteOf } from '../../domain/calls/decision-rules.ts';
import { isAwayFromRequester } from '../../domain/cards/card-channel.ts';
import {
  type ApproverAvailability,
  approverCandidatesOf,
  canApprove,
  toApproverAvailability,
} from '../../domain/people/approver-availability.ts';
import { groupsNamedBy, isGroup } from '../../domain/people/decision-permission.ts';
import type { Group } from '../../domain/policy/route.ts';
import type { GroupProfile, LookupOptions, Profile } from '../../domain/ports/directory.ts';
import type { DeskDeps } from '../deps.ts';
import { REFUSAL_MAX_AGE_MS } from './authorize.ts';

/** Members of groups are asked about by so many at once, until enough can approve. */
const AT_ONCE = 10;
/** Beyond this number, people count as able to approve. */
const MAX_ASKED = 50;

/** Finds out who a pending call waits for; rejects with what kept the workspace from telling. */
export async function checkApprovers(
  deps: Pick<DeskDeps, 'directory'>,
  call: Call,
): Promise<ApproverAvailability> {
  const outlook = await findApproverAvailability(deps, call, {});
  const isRemembered = outlook.gap !== undefined && groupsNamedBy(rulingRouteOf(call)).length > 0;
  // No alarm is raised from memory over a group into which somebody has just come.
  return isRemembered
    ? await findApproverAvailability(deps, call, { maxAgeMs: REFUSAL_MAX_AGE_MS })
    : outlook;
}

async function findApproverAvailability(
  { directory }: Pick<DeskDeps, 'directory'>,
  call: Call,
  asking: LookupOptions,
): Promise<ApproverAvailability> {
  const route = rulingRouteOf(call);
  const groups = new Map<Group, GroupProfile>();
  await Promise.all(
    groupsNamedBy(route).map(async (group) => {
      groups.set(group, await directory.groupOf(group, asking));
    }),
  );
  const profiles = new Map<string, Profile>();
  const candidates = approverCandidatesOf(call, groups);
  const named = route.approvers.filter((approver) => !isGroup(approver)).length;
  const isEnough = () =>
    candidates.filter((user) => canApprove(call, user, profiles.get(user))).length >= route.quorum;

  async function ask(users: readonly string[]): Promise<void> {
    await Promise.all(
      users.map(async (user) => {
        const person = { team: call.requester.team, user };
        profiles.set(user, await directory.profileOf(person));
      }),
    );
  }

  // All whom the route names stand on the card.
  await ask(candidates.slice(0, named));
  for (let i = named; i < Math.min(candidates.length, MAX_ASKED) && !isEnough(); i += AT_ONCE) {
    await ask(candidates.slice(i, i + AT_ONCE));
  }
  const outlook = toApproverAvailability(call, { profiles, groups });
  if (!isAwayFromRequester(call)) return outlook;
  const { requester } = call;
  const { name } = profiles.get(requester.user) ?? (await directory.profileOf(requester));
  return { ...outlook, asker: { person: requester.user, name } };
}
