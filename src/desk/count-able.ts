import type { AdminRouteDraft } from '../domain/admin-routes.ts';
import { groupsOf, isGroup, refuseDecider } from '../domain/permit.ts';
import type { RouteProblem } from '../domain/route-problem.ts';
import type { DeskDeps } from './deps.ts';

/** Whoever is beyond this is taken for somebody who can. */
const MOST_ASKED = 50;

/** Finds that fewer people can approve on a route than it needs, members of its groups included; what the workspace does not tell is no problem. */
export async function judgeQuorum(
  { directory, log }: Pick<DeskDeps, 'directory' | 'log'>,
  draft: AdminRouteDraft,
  team: string,
): Promise<readonly RouteProblem[]> {
  const { approvers, quorum, selfApproval } = draft;
  const groups = groupsOf(draft);
  if (groups.length === 0) return [];
  try {
    const profiles = await Promise.all(groups.map((group) => directory.groupOf(group)));
    const named = approvers.flatMap((each) =>
      each === 'requester' || isGroup(each) ? [] : [each.slice('user:'.length)],
    );
    const users = new Set([...named, ...profiles.flatMap(({ members }) => [...members])]);
    const anybody = approvers.includes('requester') && selfApproval ? 1 : 0;
    if (users.size > MOST_ASKED) return [];
    const people = await Promise.all([...users].map((user) => directory.profileOf({ team, user })));
    const able = people.filter(
      ({ standing }) => refuseDecider(draft, standing) === undefined,
    ).length;
    return able + anybody >= quorum
      ? []
      : [{ field: 'quorum', message: sayTooFew(able + anybody, quorum) }];
  } catch (error) {
    log.warn({ err: error, route: draft.name }, 'Nobody could tell how many people can approve.');
    return [];
  }
}

function sayTooFew(able: number, quorum: number): string {
  const who = able === 1 ? '1 person' : `${able} people`;
  return `Only ${who} can approve; ${quorum} ${quorum === 1 ? 'is' : 'are'} needed.`;
}
