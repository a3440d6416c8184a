import type { WebClient } from '@slack/web-api';
import type { NameDirectory, PolicyName, ResolvedName } from '../../domain/policy/policy-routes.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { toChatError } from '../transport/slack-errors.ts';
import { isOfTeam } from './slack-directory.ts';

const PAGE = 1_000;
const SLACKBOT = 'USLACKBOT';

/** Creates the lookup of names in a policy file. It reads channels only for `#` names, people and groups only for `@` names. */
export function createSlackNames({
  connection,
}: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
}): NameDirectory {
  const { client, identity } = connection;

  return {
    async resolveNames(names) {
      try {
        const hasSign = (sign: string) => names.some((name) => name.startsWith(sign));
        const channelEntries = hasSign('#') ? await listChannels(client) : [];
        const personAndGroupEntries = hasSign('@')
          ? [...(await listPeople(client, identity.team)), ...(await listGroups(client))]
          : [];
        return new Map(
          names.map((name) => [
            name,
            find(name, name.startsWith('#') ? channelEntries : personAndGroupEntries),
          ]),
        );
      } catch (error) {
        throw toChatError(error, 'look up the names of the policy file');
      }
    },
  };
}

interface Entry {
  readonly id: ResolvedName;
  readonly names: readonly unknown[];
}

/** https://docs.slack.dev/reference/methods/conversations.list */
async function listChannels(client: WebClient): Promise<readonly Entry[]> {
  const types = 'public_channel,private_channel';
  const list = await readPages(
    (page) => client.conversations.list({ types, exclude_archived: true, limit: PAGE, ...page }),
    'channels',
  );
  return list.map((each) => ({ id: `channel:${textAt(each, 'id')}`, names: [each.name] }));
}

/** https://docs.slack.dev/reference/methods/users.list */
async function listPeople(client: WebClient, team: string): Promise<readonly Entry[]> {
  const list = await readPages((page) => client.users.list({ limit: PAGE, ...page }), 'members');
  return list
    .filter((user) => {
      const isPerson = user.deleted !== true && user.is_bot !== true && user.id !== SLACKBOT;
      return isPerson && isOfTeam(user, team);
    })
    .map((each) => ({
      id: `user:${textAt(each, 'id')}`,
      names: [each.name, objectAt(each, 'profile').display_name],
    }));
}

/** https://docs.slack.dev/reference/methods/usergroups.list */
async function listGroups(client: WebClient): Promise<readonly Entry[]> {
  const list = listAt({ ...(await client.usergroups.list({})) }, 'usergroups');
  return list.map((each) => ({ id: `usergroup:${textAt(each, 'id')}`, names: [each.handle] }));
}

async function readPages(
  fetchPage: (cursor: { readonly cursor?: string }) => Promise<object>,
  key: string,
): Promise<readonly Payload[]> {
  const found: Payload[] = [];
  let cursor: string | undefined;
  do {
    const answer: Payload = { ...(await fetchPage(cursor === undefined ? {} : { cursor })) };
    found.push(...listAt(answer, key));
    cursor = textAt(objectAt(answer, 'response_metadata'), 'next_cursor');
  } while (cursor !== undefined);
  return found;
}

function find(name: PolicyName, entries: readonly Entry[]): readonly ResolvedName[] {
  const wanted = name.slice(1).toLowerCase();
  const matches = (each: unknown) => typeof each === 'string' && each.toLowerCase() === wanted;
  return entries.filter(({ names }) => names.some(matches)).map(({ id }) => id);
}
