import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, listAt, type Payload, textAt } from '../transport/payload.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';
import { nameOfUser } from './slack-directory.ts';

/** Resolves with the name of a person, channel or user group, or undefined. Rejects if Slack can’t be reached. */
export type NameLookup = (id: string) => Promise<string | undefined>;

const UNKNOWN: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_not_visible',
  'channel_not_found',
]);

/** Creates the lookup of names by id. It reads the user groups once. */
export function createNameLookup({ client }: Pick<SlackConnection, 'client'>): NameLookup {
  let groups: Promise<readonly Payload[]> | undefined;

  async function groupName(id: string): Promise<string | undefined> {
    groups ??= client.usergroups
      .list({ include_disabled: true })
      .then((answer) => listAt({ ...answer }, 'usergroups'));
    const found = (await groups).find((group) => textAt(group, 'id') === id);
    return found && textAt(found, 'handle');
  }

  async function channelName(channel: string): Promise<string | undefined> {
    const answer = await client.conversations.info({ channel });
    return isPayload(answer.channel) ? textAt(answer.channel, 'name') : undefined;
  }

  async function personName(id: string): Promise<string | undefined> {
    const { user } = await client.users.info({ user: id });
    return isPayload(user) ? (nameOfUser(user) ?? textAt(user, 'name')) : undefined;
  }

  async function read(id: string): Promise<string | undefined> {
    if (/^[UW]/.test(id)) return await personName(id);
    if (/^[CGD]/.test(id)) return await channelName(id);
    return id.startsWith('S') ? await groupName(id) : undefined;
  }

  return async (id) => {
    try {
      return await read(id);
    } catch (error) {
      if (UNKNOWN.has(slackErrorName(error) ?? '')) return undefined;
      throw toChatError(error, 'look up names');
    }
  };
}
