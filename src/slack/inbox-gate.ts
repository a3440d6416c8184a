import type { ReceiverEvent } from '@slack/bolt';
import type { Desk } from '../desk/desk.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { InboxMessage } from '../domain/message.ts';
import { placeOf } from '../domain/thread-key.ts';
import type { SlackIdentity } from './connect-slack.ts';
import { isDirect, type ParsedMessage, parseMessage } from './parse-message.ts';
import type { Teller } from './teller.ts';

/**
 * Makes the step that every event passes before Bolt sees it. Bolt acknowledges before any listener
 * runs, so what must not be lost is written here; a rejection keeps the acknowledgement back, and
 * Slack repeats the event. Resolves with a message that begins a conversation in direct messages.
 */
export function createInboxGate(deps: {
  readonly identity: SlackIdentity;
  readonly desk: Desk;
  readonly teller: Teller;
  readonly clock: Clock;
  readonly log: Log;
}): (event: ReceiverEvent) => Promise<InboxMessage | undefined> {
  const { identity, desk, teller, clock, log } = deps;

  return async (event) => {
    const parsed = parseMessage(event.body, { identity, now: clock.now() });
    if (parsed.kind === 'ignore') return undefined;
    const { message, onlyIfInThread } = parsed;
    if (onlyIfInThread && !(await desk.isInThread(message.thread))) return undefined;
    if (parsed.kind === 'refuse') {
      await refuse(parsed);
      return undefined;
    }
    const begins = isDirect(event.body) && !(await desk.isInThread(message.thread));
    const seen = await desk.receive(message);
    log.debug({ message: message.id, seen, retry: event.retryNum }, 'Received a message.');
    return begins && seen === 'new' ? message : undefined;
  };

  async function refuse(parsed: Extract<ParsedMessage, { kind: 'refuse' }>): Promise<void> {
    const { person, message, why } = parsed;
    await desk.recordRefusal({
      surface: 'slack.message',
      subject: message.id,
      actor: `${person.team}/${person.user}`,
      why,
    });
    const { channel, root } = placeOf(message.thread);
    const text = 'I only work for members of this workspace, so I did not read your message.';
    // The refusal holds without the sentence: Slack must not repeat the event for it.
    await teller.tell({ user: person.user, channel, root, text }).catch((error: unknown) => {
      log.warn({ err: error, subject: message.id }, 'Could not tell a stranger why.');
    });
  }
}
