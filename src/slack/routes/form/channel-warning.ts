import type { HandlerDeps } from '../../interactions/handler.ts';
import { slackErrorName } from '../../transport/slack-errors.ts';

/** Says what is to be mended before a channel can show cards, in Slack's markup; undefined when nothing is. */
export async function channelWarning(
  channel: string | undefined,
  { client, log }: Pick<HandlerDeps, 'client' | 'log'>,
): Promise<string | undefined> {
  if (channel === undefined) return undefined;
  try {
    const { channel: found } = await client.conversations.info({ channel });
    if (found?.is_archived) return `:warning: <#${channel}> is archived: no card can stand there.`;
    return found?.is_member ? undefined : describeOutside(channel);
  } catch (error) {
    // A private channel that we are not in is hidden from us.
    if (slackErrorName(error) === 'channel_not_found') return describeOutside(channel);
    log.warn({ err: error, channel }, 'Slack did not tell whether the app is in a channel.');
    return undefined;
  }
}

function describeOutside(channel: string): string {
  return `:warning: I am not in <#${channel}>. Invite me there with \`/invite\`, or no card can stand there.`;
}
