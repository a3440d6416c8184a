import type { KnownBlock } from '@slack/types';
import type { RouteControl } from '../../desk/control/routes.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import { toHandles, type UserGroup } from '../people/user-groups.ts';
import { buildRoutesSection } from './routes-blocks.ts';

/** Creates the section of App Home where admins manage routes; empty for others. */
export function createRoutesSection({
  directory,
  routes,
  userGroups,
}: {
  readonly directory: Pick<Directory, 'profileOf'>;
  readonly routes: Pick<RouteControl, 'list'>;
  readonly userGroups: () => Promise<readonly UserGroup[]>;
}): (person: Person) => Promise<readonly KnownBlock[]> {
  return async (person) => {
    const profile = await directory.profileOf(person);
    if (!profile.isAdmin) return [];
    const found = await routes.list(person);
    if (found.kind !== 'routes') return [];
    return buildRoutesSection({ ...found, handles: toHandles(await userGroups()) });
  };
}
