import { slackErrorName } from '../../transport/slack-errors.ts';
import type { HandlerDeps } from '../handler.ts';

/** Returns a warning, as Slack markup, if a channel can't show cards; otherwise undefined. */
export async function channelWarning(
  channel: string | undefined,
  { client, log }: Pick<HandlerDeps, 'client' | 'log'>,
): Promise<string | undefined> {
  if (channel === undefined) return undefined;
  try {
    const { channel: found } = await client.conversations.info({ channel });
    if (found?.is_archived)
      return `:warning: <#${channel}> is archived, so cards can’t be posted there.`;
    return found?.is_member ? undefined : describeOutside(channel);
  } catch (error) {
    // Slack hides private channels that the app is not in.
    if (slackErrorName(error) === 'channel_not_found') return describeOutside(channel);
    log.warn({ err: error, channel }, 'Could not check whether the app is in a channel.');
    return undefined;
  }
}

function describeOutside(channel: string): string {
  return `:warning: I am not in <#${channel}>. Invite me with \`/invite\`, so that I can post cards there.`;
}
