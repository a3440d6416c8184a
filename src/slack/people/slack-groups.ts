import type { Group } from '../../domain/people/person.ts';
import type { GroupProfile } from '../../domain/people/profile.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { SLACK_ERRORS, slackErrorName, toChatError } from '../transport/slack-errors.ts';
import { createTtlCache } from './ttl-cache.ts';

const HANDLES_MAX_AGE_MS = 5 * 60_000;
/** https://docs.slack.dev/reference/methods/conversations.members: an integer of at most 999. */
const PAGE = 999;
/** Reading more pages would take too long while a person waits. */
const MAX_PAGES = 20;

/** What to do if a group is missing, by Slack’s error name. */
const MISSING: Readonly<Record<string, string>> = {
  /** https://docs.slack.dev/reference/methods/usergroups.users.list#errors */
  no_such_subteam: 'This user group does not exist. Name another one in the route.',
  plan_upgrade_required: 'This workspace’s plan has no user groups. Name people or a channel.',
  /** https://docs.slack.dev/reference/methods/conversations.members#errors */
  channel_not_found: SLACK_ERRORS.channel_not_found?.sentence ?? '',
  method_not_supported_for_channel_type: 'This is not a channel with members. Name another one.',
};

/** Creates the lookup of a group’s members. It rejects with a `ChatError` if Slack can’t be asked. */
export function createGroupLookup(deps: {
  readonly connection: Pick<SlackConnection, 'client'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}): (group: Group) => Promise<GroupProfile> {
  const { clock, log } = deps;
  const { client } = deps.connection;
  const handles = createTtlCache({ clock, maxEntries: 1, load: fetchHandles });

  async function fetchHandles(): Promise<ReadonlyMap<string, string>> {
    const { usergroups = [] } = await client.usergroups.list({});
    return new Map(usergroups.flatMap(readHandle));
  }

  /** Returns the handle, which is only shown; a failure to read it must not hide the members. */
  async function handleOf(id: string): Promise<string | undefined> {
    try {
      return (await handles.get('all', HANDLES_MAX_AGE_MS)).get(id);
    } catch (error) {
      log.warn(
        { err: error },
        'Could not read the names of user groups from Slack; showing their ids.',
      );
      return undefined;
    }
  }

  async function usersOf(usergroup: string): Promise<readonly string[]> {
    return (await client.usergroups.users.list({ usergroup })).users ?? [];
  }

  async function membersOf(channel: string): Promise<readonly string[]> {
    const all: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const position = cursor === undefined ? {} : { cursor };
      const answer = await client.conversations.members({ channel, limit: PAGE, ...position });
      all.push(...(answer.members ?? []));
      cursor = answer.response_metadata?.next_cursor;
      if (!cursor) return all;
    }
    throw new Error(
      `Channel ${channel} has more than ${MAX_PAGES * PAGE} members, which is too many for approvers. Name a user group instead.`,
    );
  }

  return async function lookUpGroup(group) {
    const [kind, id = ''] = group.split(':');
    try {
      if (kind === 'channel') return { members: new Set(await membersOf(id)) };
      const [users, handle] = await Promise.all([usersOf(id), handleOf(id)]);
      return { members: new Set(users), ...(handle !== undefined && { handle }) };
    } catch (error) {
      const missing = MISSING[slackErrorName(error) ?? ''];
      if (missing !== undefined) return { members: new Set(), missing };
      throw toChatError(error, 'read the members of a group');
    }
  };
}

function readHandle({
  id,
  handle,
}: {
  readonly id?: string;
  readonly handle?: string;
}): readonly [string, string][] {
  return id === undefined || handle === undefined ? [] : [[id, handle]];
}
