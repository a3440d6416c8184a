import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createTtlCache } from './ttl-cache.ts';

/** A user group as people know it: by its handle, without `@`. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
}

const KEPT_MS = 30_000;

/** Makes the list of the workspace's user groups; an empty one where Slack has none or does not tell. */
export function createUserGroups({
  client,
  clock,
  log,
}: {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}): () => Promise<readonly UserGroup[]> {
  const kept = createTtlCache({
    clock,
    most: 1,
    async ask(): Promise<readonly UserGroup[]> {
      const { usergroups = [] } = await client.usergroups.list({});
      return usergroups.flatMap(({ handle, id }) =>
        id === undefined || handle === undefined ? [] : [{ id, handle }],
      );
    },
  });
  return async () => {
    try {
      return await kept.get('all', KEPT_MS);
    } catch (error) {
      log.warn({ err: error }, 'Slack did not list the user groups; none can be chosen.');
      return [];
    }
  };
}

/** Returns how groups are called, as routes name them. */
export function toHandles(groups: readonly UserGroup[]): ReadonlyMap<string, string> {
  return new Map(groups.map(({ handle, id }) => [`usergroup:${id}`, handle]));
}
