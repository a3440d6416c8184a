/** What a message does that is nothing but a command to us. Like the thread's pump, but while that is busy. */

import { isSamePerson } from '../../../domain/people/person.ts';
import { isDirect } from '../../../domain/people/sender-policy.ts';
import { deliverOutboxKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import type { OutboxMessage } from '../../../domain/threads/outbox-message.ts';
import { depthOf, placeOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import { explainForgetRefused } from '../../control/check-forget.ts';
import { forgetEffects } from '../../control/forget-effects.ts';
import { createStopTurn } from '../../control/stop-turn.ts';
import type { DeskDeps } from '../../deps.ts';
import { createCheckSender, createCheckSenderPolicy } from './check-sender.ts';
import { isForgetCommand, isStopCommand, isThreadCommand } from './command-words.ts';

type ThreadCommandsDeps = Pick<
  DeskDeps,
  'store' | 'clock' | 'signals' | 'directory' | 'senderPolicy' | 'graph'
>;

/** Builds the use cases that act on a thread's commands among its waiting messages. */
export function createThreadCommands(deps: ThreadCommandsDeps) {
  const { store, clock, directory } = deps;
  const stopTurn = createStopTurn(deps);
  const askTalk = createCheckSenderPolicy(deps);
  const admit = createCheckSender(deps);

  async function wordsOf(thread: ThreadKey): Promise<readonly InboxMessage[]> {
    return (await store.inbox.waiting(thread)).filter(isThreadCommand);
  }

  /** What went on when the word was written; in a DM each message is a thread, so that one beside them means them all. */
  async function targetsOf(word: InboxMessage): Promise<readonly InboxMessage[]> {
    const { team, channel, root } = placeOf(word.thread);
    const isBeside = isDirect(channel) && root === word.ts;
    const ongoing = await store.inbox.ongoing({ team, channel });
    return ongoing.filter(
      ({ thread, ts }) =>
        depthOf(thread) === 0 &&
        (isBeside || thread === word.thread) &&
        Number(ts) < Number(word.ts),
    );
  }

  /** Stops what is not yet stopped; resolves with whether there was any. */
  async function stopFor(word: InboxMessage, targets: readonly InboxMessage[]): Promise<boolean> {
    const messageEnds = [{ id: word.id, how: 'answered' }] as const;
    let any = false;
    for (const target of targets) {
      any = (await stopTurn(target, word.author, { messageEnds })) || any;
    }
    return any;
  }

  async function forgetFor(word: InboxMessage): Promise<void> {
    const effects = forgetEffects(word.thread, word.author, word.id, clock.now(), deps.graph);
    const messageEnds = [{ id: word.id, how: 'answered' }] as const;
    await store.history.clear(word.thread, { ...effects, messageEnds });
  }

  /** Why the thread is not forgotten for the author of the word; undefined when it is. */
  async function explainNotForgotten({
    thread,
    author,
  }: InboxMessage): Promise<string | undefined> {
    const isAdmin = async () => (await directory.profileOf(author)).isAdmin;
    return await explainForgetRefused(store, thread, author, isAdmin);
  }

  /** Whoever began all that is to be stopped was let in then, and may always end it. */
  async function mayStop(word: InboxMessage, targets: readonly InboxMessage[]): Promise<boolean> {
    const isOwn = targets.every(({ author }) => isSamePerson(author, word.author));
    return (targets.length > 0 && isOwn) || !(await askTalk(word));
  }

  async function heedOne(word: InboxMessage): Promise<void> {
    if (isForgetCommand(word.text)) {
      if (!(await askTalk(word)) && !(await explainNotForgotten(word))) await forgetFor(word);
      return;
    }
    const targets = await targetsOf(word);
    if (await mayStop(word, targets)) await stopFor(word, targets);
  }

  async function endWord(word: InboxMessage, fence: ThreadFence): Promise<void> {
    const targets = isStopCommand(word.text) ? await targetsOf(word) : [];
    const may = targets.length > 0 && (await mayStop(word, targets));
    if (!may && !(await admit(word, fence))) return;
    const why = isForgetCommand(word.text) ? await explainNotForgotten(word) : NOTHING_GOES_ON;
    // A thread is forgotten by `heed` alone: here it would be done twice.
    if (why === undefined || (await stopFor(word, targets))) return;
    const outboxMessages = [commandReply(word, why, clock.now())];
    const wakes = [{ key: deliverOutboxKey(fence.thread), dueAt: clock.now() }];
    await store.inbox.end(word.id, 'answered', { says: outboxMessages, wakes }, fence);
  }

  return {
    /** Acts on the words of a thread at once, whoever has its lease; those that do nothing are left to its pump. */
    async heed(thread: ThreadKey): Promise<void> {
      for (const word of await wordsOf(thread)) await heedOne(word);
    },

    /** Ends the words that are still there, under the thread's lease: acts on a stop, refuses whoever may not, and says when nothing was there to stop. */
    async endWords(fence: ThreadFence): Promise<void> {
      for (const word of await wordsOf(fence.thread)) await endWord(word, fence);
    },
  };
}

const NOTHING_GOES_ON = 'Nothing goes on here, so there was nothing to stop.';

function commandReply(
  { id, thread, author }: InboxMessage,
  text: string,
  createdAt: number,
): OutboxMessage {
  return { id: `nothing:${id}`, thread, kind: 'private', to: author, text, createdAt };
}
