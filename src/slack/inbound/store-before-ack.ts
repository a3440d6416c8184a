import type { Desk } from '../../desk/desk.ts';
import { isThreadCommand } from '../../desk/turns/messages/command-words.ts';
import { isBareApproval } from '../../desk/turns/messages/message-while-waiting.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { PrivateNotices } from '../outbound/private-notices.ts';
import { createMentionMerger } from './merge-mention-events.ts';
import type { InboundMessage } from './parse-inbound.ts';
import type { ParsedMessage } from './parse-message.ts';

interface Deps {
  readonly desk: Desk;
  readonly privateNotices: PrivateNotices;
  readonly log: Log;
}

/**
 * Creates the step that stores messages before Bolt acknowledges the event. If it rejects, there is
 * no acknowledgement and Slack sends the event again. Resolves with a message if it is the first one
 * of a chat in the older assistant pane.
 */
export function createStoreBeforeAck(
  deps: Deps & { readonly clock: Clock },
): (inbound: InboundMessage, retryNum: number | undefined) => Promise<InboxMessage | undefined> {
  const { desk, log } = deps;
  const mentionMerger = createMentionMerger(deps);

  return async (inbound, retryNum) => {
    const { parsed } = inbound;
    if (parsed.kind === 'ignore') return undefined;
    if (await isOutsideOurThreads(parsed, desk)) {
      if (parsed.kind === 'aside') await explainButtons(parsed, deps);
      return undefined;
    }
    if (parsed.kind === 'refuse') {
      await rejectMessage(parsed, deps);
      return undefined;
    }
    return await receive(parsed.message, inbound, retryNum);
  };

  async function receive(
    parsed: InboxMessage,
    { isDirect, isMention }: InboundMessage,
    retryNum: number | undefined,
  ) {
    const message = await mentionMerger.waitForFiles(parsed, isMention);
    const startsChat =
      isDirect && isInSlacksThread(message) && !(await desk.isInThread(message.thread));
    const seen = await desk.receive(message);
    log.debug({ message: message.id, seen, retry: retryNum }, 'Received a message.');
    return startsChat && seen === 'new' ? message : undefined;
  }
}

/** Returns whether to ignore a message because the agent is not in its thread. */
async function isOutsideOurThreads(
  parsed: Exclude<ParsedMessage, { kind: 'ignore' }>,
  desk: Desk,
): Promise<boolean> {
  const mayBe = parsed.kind === 'aside' || parsed.onlyIfInThread;
  return mayBe && !(await desk.isInThread(parsed.message.thread));
}

/** Explains the buttons if a reply below a card mentions the app, or looks like a decision or a command. */
async function explainButtons(
  { message, isToUs }: Extract<ParsedMessage, { kind: 'aside' }>,
  { privateNotices, log }: Deps,
) {
  if (!isToUs && !isBareApproval(message.text) && !isThreadCommand(message)) return;
  const { channel, root } = placeOf(message.thread);
  const text =
    'I don’t read replies below my cards. To decide, use the buttons on the card. To talk to me, mention me in a new message.';
  await privateNotices
    .tell({ user: message.author.user, channel, root, text })
    .catch((error: unknown) => {
      log.warn({ err: error, subject: message.id }, 'Could not tell a person how to decide.');
    });
}

async function rejectMessage(
  parsed: Extract<ParsedMessage, { kind: 'refuse' }>,
  { desk, privateNotices, log }: Deps,
): Promise<void> {
  const { person, message, why, sentence: text, isTemporary } = parsed;
  if (isTemporary) log.warn({ person, message: message.id }, `Refused a message for now: ${why}.`);
  await desk.recordRefusal({
    surface: 'slack.message',
    subject: message.id,
    actor: `${person.team}/${person.user}`,
    why,
  });
  const { channel, root } = placeOf(message.thread);
  // A failed notice must not make Slack send the event again.
  await privateNotices.tell({ user: person.user, channel, root, text }).catch((error: unknown) => {
    log.warn(
      { err: error, subject: message.id },
      'Could not tell a person why their message was refused.',
    );
  });
}

/** Returns whether the thread was there before the message, as in a chat of the older assistant pane. */
function isInSlacksThread({ thread, ts }: InboxMessage): boolean {
  return placeOf(thread).root !== ts;
}
