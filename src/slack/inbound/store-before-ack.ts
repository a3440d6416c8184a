import type { ReceiverEvent } from '@slack/bolt';
import type { Desk } from '../../desk/desk.ts';
import { isThreadCommand } from '../../desk/turns/messages/command-words.ts';
import { isBareApproval } from '../../desk/turns/messages/message-while-waiting.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { PrivateNotices } from '../outbound/private-notices.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { createMentionMerger } from './merge-mention-events.ts';
import { isDirect, type ParsedMessage, parseMessage } from './parse-message.ts';

/**
 * Makes the step that every event passes before Bolt sees it. Bolt acknowledges before any listener
 * runs, so what must not be lost is written here; a rejection keeps the acknowledgement back, and
 * Slack repeats the event. Resolves with the first message of a chat in the older assistant pane.
 */
export function createStoreBeforeAck(deps: {
  readonly identity: SlackIdentity;
  readonly desk: Desk;
  readonly teller: PrivateNotices;
  readonly clock: Clock;
  readonly log: Log;
}): (event: ReceiverEvent) => Promise<InboxMessage | undefined> {
  const { identity, desk, teller, clock, log } = deps;
  const twins = createMentionMerger(deps);

  return async (event) => {
    const parsed = parseMessage(event.body, { identity, now: clock.now() });
    if (parsed.kind === 'ignore') return undefined;
    if (await isOutside(parsed)) {
      if (parsed.kind === 'aside') await point(parsed);
      return undefined;
    }
    if (parsed.kind === 'refuse') {
      await rejectMessage(parsed);
      return undefined;
    }
    return await receive(parsed.message, event);
  };

  /** What is in a thread in which the agent is not may be none of our business. */
  async function isOutside(parsed: Exclude<ParsedMessage, { kind: 'ignore' }>): Promise<boolean> {
    const mayBe = parsed.kind === 'aside' || parsed.onlyIfInThread;
    return mayBe && !(await desk.isInThread(parsed.message.thread));
  }

  async function receive(parsed: InboxMessage, event: ReceiverEvent) {
    const message = await twins.whenWhole(event.body, parsed);
    const begins = isInChat(event.body, message) && !(await desk.isInThread(message.thread));
    const seen = await desk.receive(message);
    log.debug({ message: message.id, seen, retry: event.retryNum }, 'Received a message.');
    return begins && seen === 'new' ? message : undefined;
  }

  /** People talk below a card among themselves; whoever means us, or thinks that a word decides, is told how it is done. */
  async function point({ message, isToUs }: Extract<ParsedMessage, { kind: 'aside' }>) {
    if (!isToUs && !isBareApproval(message.text) && !isThreadCommand(message)) return;
    const { channel, root } = placeOf(message.thread);
    const text =
      'I don’t read what is written below my cards. To decide, use the buttons of the card; to talk to me, write a new message that mentions me.';
    await teller
      .tell({ user: message.author.user, channel, root, text })
      .catch((error: unknown) => {
        log.warn({ err: error, subject: message.id }, 'Could not tell a person how to decide.');
      });
  }

  async function rejectMessage(parsed: Extract<ParsedMessage, { kind: 'refuse' }>): Promise<void> {
    const { person, message, why, sentence: text, isForNow } = parsed;
    if (isForNow) log.warn({ person, message: message.id }, `Refused a message for now: ${why}.`);
    await desk.recordRefusal({
      surface: 'slack.message',
      subject: message.id,
      actor: `${person.team}/${person.user}`,
      why,
    });
    const { channel, root } = placeOf(message.thread);
    // The refusal holds without the sentence: Slack must not repeat the event for it.
    await teller.tell({ user: person.user, channel, root, text }).catch((error: unknown) => {
      log.warn(
        { err: error, subject: message.id },
        'Could not tell a person why their message was refused.',
      );
    });
  }
}

/** Slack begins a chat in the older assistant pane itself; everywhere else the first message is a person's. */
function isInChat(body: unknown, { thread, ts }: InboxMessage): boolean {
  return isDirect(body) && placeOf(thread).root !== ts;
}
