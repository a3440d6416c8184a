import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createTtlCache } from './ttl-cache.ts';

/** A user group with its handle, without `@`. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
}

const MAX_AGE_MS = 30_000;

/** Creates the list of the workspace’s user groups. It is empty if there are none or Slack can’t be asked. */
export function createUserGroups({
  client,
  clock,
  log,
}: {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}): () => Promise<readonly UserGroup[]> {
  const cache = createTtlCache({
    clock,
    maxEntries: 1,
    async load(): Promise<readonly UserGroup[]> {
      const { usergroups = [] } = await client.usergroups.list({});
      return usergroups.flatMap(({ handle, id }) =>
        id === undefined || handle === undefined ? [] : [{ id, handle }],
      );
    },
  });
  return async () => {
    try {
      return await cache.get('all', MAX_AGE_MS);
    } catch (error) {
      log.warn({ err: error }, 'Could not read the user groups from Slack; none can be chosen.');
      return [];
    }
  };
}

/** Returns the handles of user groups by their id in routes. */
export function toHandles(groups: readonly UserGroup[]): ReadonlyMap<string, string> {
  return new Map(groups.map(({ handle, id }) => [`usergroup:${id}`, handle]));
}
