import type { Call } from '../../domain/calls/call.ts';
import { routeOf } from '../../domain/calls/decision-rules.ts';
import { isAway } from '../../domain/cards/card-channel.ts';
import {
  canApprove,
  candidatesOf,
  type Outlook,
  toOutlook,
} from '../../domain/people/approver-availability.ts';
import { groupsNamed, isGroup } from '../../domain/people/decision-permission.ts';
import type { Group } from '../../domain/policy/route.ts';
import type { Asking, GroupProfile, Profile } from '../../domain/ports/directory.ts';
import type { DeskDeps } from '../deps.ts';
import { REFUSAL_MAX_AGE_MS } from './authorize.ts';

/** Members of groups are asked about by so many at once, until enough can approve. */
const AT_ONCE = 10;
/** Beyond this number, people count as able to approve. */
const MOST_ASKED = 50;

/** Finds out who a pending call waits for; rejects with what kept the workspace from telling. */
export async function foresee(deps: Pick<DeskDeps, 'directory'>, call: Call): Promise<Outlook> {
  const outlook = await lookAhead(deps, call, {});
  const isRemembered = outlook.gap !== undefined && groupsNamed(routeOf(call)).length > 0;
  // No alarm is raised from memory over a group into which somebody has just come.
  return isRemembered ? await lookAhead(deps, call, { maxAgeMs: REFUSAL_MAX_AGE_MS }) : outlook;
}

async function lookAhead(
  { directory }: Pick<DeskDeps, 'directory'>,
  call: Call,
  asking: Asking,
): Promise<Outlook> {
  const route = routeOf(call);
  const groups = new Map<Group, GroupProfile>();
  await Promise.all(
    groupsNamed(route).map(async (group) => {
      groups.set(group, await directory.groupOf(group, asking));
    }),
  );
  const profiles = new Map<string, Profile>();
  const candidates = candidatesOf(call, groups);
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
  for (let i = named; i < Math.min(candidates.length, MOST_ASKED) && !isEnough(); i += AT_ONCE) {
    await ask(candidates.slice(i, i + AT_ONCE));
  }
  const outlook = toOutlook(call, { profiles, groups });
  if (!isAway(call)) return outlook;
  const { requester } = call;
  const { name } = profiles.get(requester.user) ?? (await directory.profileOf(requester));
  return { ...outlook, asker: { person: requester.user, name } };
}
