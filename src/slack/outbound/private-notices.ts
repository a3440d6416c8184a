import type { WebClient } from '@slack/web-api';
import type { Log } from '../../domain/ports/log.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { buildNotice, type ComposedMessage } from './build-messages.ts';

/** Sends messages that only one person sees. */
export interface PrivateNotices {
  /** Sends an ephemeral message in the thread, or a direct message if that is not possible. */
  tell(note: {
    readonly user: string;
    readonly channel: string;
    readonly root?: string | undefined;
    readonly text: string;
  }): Promise<void>;
  tellDirectly(user: string, message: ComposedMessage): Promise<void>;
}

/** Errors of chat.postEphemeral after which a direct message may still work. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_not_in_channel',
  'restricted_action',
  'thread_not_found',
]);

/** Creates the private notices of a workspace. They reject with Slack’s error if both ways fail. */
export function createPrivateNotices(deps: {
  readonly client: WebClient;
  readonly log: Log;
}): PrivateNotices {
  const { client, log } = deps;

  const sendPrivately: PrivateNotices['tell'] = async ({ user, channel, root, text }) => {
    const thread = root === undefined ? {} : { thread_ts: root };
    try {
      await client.chat.postEphemeral({ channel, user, ...buildNotice(text), ...thread });
    } catch (error) {
      const name = slackErrorName(error);
      if (name === undefined || !NOT_HERE.has(name)) throw error;
      log.debug({ channel, name }, 'Sending a direct message instead of an ephemeral one.');
      await sendDirectly(user, buildNotice(text));
    }
  };

  async function sendDirectly(user: string, message: ComposedMessage): Promise<void> {
    const opened = await client.conversations.open({ users: user });
    const channel = opened.channel?.id;
    if (channel === undefined) throw new Error('Slack opened no direct message.');
    await client.chat.postMessage({
      channel,
      ...message,
      unfurl_links: false,
      unfurl_media: false,
    });
  }

  return { tell: sendPrivately, tellDirectly: sendDirectly };
}
