import type { Person } from '../../domain/people/person.ts';
import type { AdminRouteDraft } from '../../domain/policy/admin-routes.ts';
import type { Handles } from '../../domain/policy/describe-route.ts';
import { explainRefusedDecider, groupsOf } from '../../domain/rules/decision-permission.ts';
import type { DeskDeps } from '../deps.ts';
import { REFUSAL_MAX_AGE_MS } from '../people/lookup-age.ts';

type Directory = DeskDeps['directory'];

/** Maximum number of approvers looked up before a route is saved. */
const MAX_LOOKUPS = 50;

/** The handles of the routes' groups; groups without one are shown by id. */
export async function handlesOf(
  directory: Directory,
  ...routes: readonly (AdminRouteDraft | undefined)[]
): Promise<Handles> {
  const groups = new Set(routes.flatMap((route) => (route ? groupsOf(route) : [])));
  const found = await Promise.all(
    [...groups].map(async (group) => {
      const profile = await directory.groupOf(group).catch(() => undefined);
      return [group, profile?.handle] as const;
    }),
  );
  return new Map(found.flatMap(([group, handle]) => (handle ? [[group, handle]] : [])));
}

/**
 * The users who could approve. Undefined if a lookup fails or there are too many; then all count
 * as able.
 */
export async function findAble(
  { directory, log }: Pick<DeskDeps, 'directory' | 'log'>,
  draft: AdminRouteDraft,
  team: string,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const groups = await Promise.all(
      groupsOf(draft).map((group) => directory.groupOf(group, { maxAgeMs: REFUSAL_MAX_AGE_MS })),
    );
    const named = draft.approvers.flatMap((each) =>
      each.startsWith('user:') ? [each.slice('user:'.length)] : [],
    );
    const all = new Set([...named, ...groups.flatMap(({ members }) => [...members])]);
    if (all.size > MAX_LOOKUPS) return undefined;
    const able = await Promise.all(
      [...all].map((user) => isAble(directory, draft, { team, user })),
    );
    return new Set([...all].filter((_user, i) => able[i]));
  } catch (error) {
    log.warn({ err: error, route: draft.name }, 'Could not look up who could approve.');
    return undefined;
  }
}

async function isAble(
  directory: Directory,
  draft: AdminRouteDraft,
  person: Person,
): Promise<boolean> {
  const { standing } = await directory.profileOf(person);
  return explainRefusedDecider(draft, standing) === undefined;
}
