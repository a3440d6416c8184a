import type { CardPlace } from '../../domain/calls/call.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Visibility } from '../../domain/ports/visibility.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, listAt, textAt } from '../transport/payload.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { createTtlCache } from './ttl-cache.ts';

const MAX_AGE_MS = 10 * 60_000;
const MAX_CHANNELS = 500;
const MAX_MESSAGES = 5_000;

/** Slack’s errors for a message that is gone. https://docs.slack.dev/reference/methods/conversations.replies#errors */
const GONE: ReadonlySet<string> = new Set([
  'thread_not_found',
  'message_not_found',
  'channel_not_found',
]);

type Access = { readonly kind: 'public' | 'private' } | { readonly kind: 'direct'; user: string };

/** Creates the visibility checks of a workspace. Answers are cached for 10 minutes. */
export function createSlackVisibility(deps: {
  readonly connection: Pick<SlackConnection, 'client'>;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}): Visibility {
  const { clock, directory, log } = deps;
  const { client } = deps.connection;
  const channels = createTtlCache({ clock, maxEntries: MAX_CHANNELS, load: fetchAccess });
  const messages = createTtlCache({ clock, maxEntries: MAX_MESSAGES, load: fetchIsGone });

  /** https://docs.slack.dev/reference/objects/conversation-object */
  async function fetchAccess(channel: string): Promise<Access> {
    const answer = await client.conversations.info({ channel });
    const found = isPayload(answer.channel) ? answer.channel : {};
    if (found.is_im === true) return { kind: 'direct', user: textAt(found, 'user') ?? '' };
    const isPublic = found.is_channel === true && found.is_private === false;
    return { kind: isPublic ? 'public' : 'private' };
  }

  async function fetchIsGone(key: string): Promise<boolean> {
    const [channel = '', ts = ''] = key.split(' ');
    try {
      const answer = await client.conversations.replies({ channel, ts, limit: 1 });
      return listAt({ ...answer }, 'messages').length === 0;
    } catch (error) {
      if (GONE.has(slackErrorName(error) ?? '')) return true;
      throw error;
    }
  }

  /** Resolves with `otherwise` if Slack can’t be asked. */
  async function orElse<T>(answer: Promise<T>, otherwise: T, subject: object): Promise<T> {
    return await answer.catch((error: unknown) => {
      log.debug({ err: error, ...subject }, 'Could not read from Slack what people can see.');
      return otherwise;
    });
  }

  async function fetchCanOpen(
    person: Parameters<Visibility['canOpen']>[0],
    channel: string,
  ): Promise<boolean> {
    const access = await channels.get(channel, MAX_AGE_MS);
    if (access.kind === 'direct') return access.user === person.user;
    const { standing } = await directory.profileOf(person);
    if (access.kind === 'public' && standing === 'member') return true;
    return (await directory.groupOf(`channel:${channel}`)).members.has(person.user);
  }

  return {
    canOpen: (person, channel) => orElse(fetchCanOpen(person, channel), false, { person, channel }),
    isGone: ({ channel, ts }: CardPlace) =>
      orElse(messages.get(`${channel} ${ts}`, MAX_AGE_MS), false, { channel, ts }),
  };
}
