import type { WebClient } from '@slack/web-api';
import { shownFileName } from '../../domain/ports/file-ports.ts';
import type { Log } from '../../domain/ports/log.ts';
import { messageId } from '../../domain/threads/message.ts';
import type {
  ReadThread,
  ThreadBackground,
  ThreadPost,
} from '../../domain/threads/thread-background.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { SlackConnection, SlackIdentity } from '../transport/connect-slack.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';
import { readMessageText } from './message-text.ts';
import { parseFiles } from './parse-files.ts';
import { isWrittenByPerson, messageAuthorOf } from './parse-message.ts';

/** Slack’s page limit. Threads above `PAGE * MAX_PAGES` messages are read in part. */
const PAGE = 1_000;
const MAX_PAGES = 3;

/** Creates the reader of Slack threads. If the app lacks the permission, it logs once what to do. */
export function createReadThread(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly log: Pick<Log, 'warn'>;
}): ReadThread {
  const { log } = deps;
  const { client, identity } = deps.connection;
  const logged = new Set<string>();

  function logOnce(name: string, error: unknown, message: string): void {
    if (logged.has(name)) return;
    logged.add(name);
    const sentence =
      name === 'missing_scope'
        ? 'The agent can’t read messages before its mention in a thread: the app lacks channels:history or groups:history. Install the app again with manifest.yml.'
        : 'The agent can’t read messages before its mention in a thread.';
    log.warn({ err: toChatError(error, ACTION), subject: message }, sentence);
  }

  return async ({ thread, ts }, since): Promise<ThreadBackground | undefined> => {
    const { channel, root } = placeOf(thread);
    try {
      const { found, isWhole } = await readPages(client, {
        ...{ channel, ts: root, latest: ts },
        ...(since !== undefined && { oldest: since }),
      });
      const own = found.find((event) => event.ts === ts);
      // Slack always includes the first message of a thread.
      const others = found.filter((event) => isBetween(textAt(event, 'ts') ?? '', since, ts));
      return {
        before: others.flatMap((event) => toPost(event, channel, identity) ?? []),
        isWhole,
        files: own === undefined ? [] : parseFiles(own),
      };
    } catch (error) {
      const name = slackErrorName(error);
      const failure = toChatError(error, ACTION);
      const isTransient = failure.code === 'temporary' || failure.code === 'rate-limited';
      if (name === undefined || (isTransient && name !== 'missing_scope')) throw failure;
      logOnce(name, error, ts);
      return undefined;
    }
  };
}

/** https://docs.slack.dev/reference/methods/conversations.replies */
async function readPages(
  client: WebClient,
  where: {
    readonly channel: string;
    readonly ts: string;
    readonly latest: string;
    readonly oldest?: string;
  },
): Promise<{ readonly found: readonly Payload[]; readonly isWhole: boolean }> {
  const found: Payload[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const next = cursor === undefined ? {} : { cursor };
    const request = client.conversations.replies({
      ...where,
      ...next,
      inclusive: true,
      limit: PAGE,
    });
    // If a later page fails, the pages read so far are still useful.
    const answer: Payload = { ...(await (page === 0 ? request : request.catch(() => ({})))) };
    found.push(...listAt(answer, 'messages'));
    cursor = textAt(objectAt(answer, 'response_metadata'), 'next_cursor');
    if (cursor === undefined) return { found, isWhole: answer.ok === true };
  }
  return { found, isWhole: false };
}

function toPost(event: Payload, channel: string, identity: SlackIdentity): ThreadPost | undefined {
  const author = messageAuthorOf(event, identity);
  const ts = textAt(event, 'ts');
  if (author === undefined || ts === undefined || !isWrittenByPerson(event, identity)) {
    return undefined;
  }
  return {
    id: messageId({ team: identity.team, channel, ts }),
    author,
    text: readMessageText(event, identity.botUserId),
    fileNames: parseFiles(event).map(({ name }) => shownFileName(name)),
  };
}

const ACTION = 'read the messages of a thread';

function isBetween(ts: string, since: string | undefined, until: string): boolean {
  return Number(ts) > Number(since ?? '0') && Number(ts) < Number(until);
}
