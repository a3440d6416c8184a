/**
 * Handles messages that consist of a command only. Runs like the thread's turn, but also while that
 * is busy.
 */

import { isSamePerson } from '../../../domain/people/person.ts';
import { isDirect } from '../../../domain/people/sender-policy.ts';
import { deliverOutboxKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import type { OutboxMessage } from '../../../domain/threads/outbox-message.ts';
import { depthOf, placeOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import { explainForgetRefused } from '../../control/check-forget.ts';
import { forgetEffects } from '../../control/forget-effects.ts';
import { isAdmin } from '../../control/require-admin.ts';
import { createStopTurn } from '../../control/stop-turn.ts';
import type { DeskDeps } from '../../deps.ts';
import { createCheckSender, createCheckSenderPolicy } from './check-sender.ts';
import { isForgetCommand, isStopCommand, isThreadCommand } from './command-words.ts';

type ThreadCommandsDeps = Pick<
  DeskDeps,
  'store' | 'clock' | 'signals' | 'directory' | 'senderPolicy' | 'graph'
>;

/** Builds the use cases that handle the commands among a thread's waiting messages. */
export function createThreadCommands(deps: ThreadCommandsDeps) {
  const { store, clock } = deps;
  const stopTurn = createStopTurn(deps);
  const explainRefused = createCheckSenderPolicy(deps);
  const checkSender = createCheckSender(deps);

  /** People may always stop turns that they started. */
  async function mayStop(
    command: InboxMessage,
    targets: readonly InboxMessage[],
  ): Promise<boolean> {
    const isOwn = targets.every(({ author }) => isSamePerson(author, command.author));
    return (targets.length > 0 && isOwn) || !(await explainRefused(command));
  }

  async function runCommand(command: InboxMessage): Promise<void> {
    if (isForgetCommand(command.text)) {
      if (!(await explainRefused(command)) && !(await explainForgetDenied(deps, command)))
        await forgetFor(deps, command);
      return;
    }
    const targets = await targetsOf(store, command);
    if (await mayStop(command, targets)) await stopFor(stopTurn, command, targets);
  }

  async function endCommand(command: InboxMessage, fence: ThreadFence): Promise<void> {
    const targets = isStopCommand(command.text) ? await targetsOf(store, command) : [];
    const may = targets.length > 0 && (await mayStop(command, targets));
    if (!may && !(await checkSender(command, fence))) return;
    const why = isForgetCommand(command.text)
      ? await explainForgetDenied(deps, command)
      : NOTHING_RUNNING;
    // Clearing the thread is done only by `runNow`; here it would be done twice.
    if (why === undefined || (await stopFor(stopTurn, command, targets))) return;
    const outboxMessages = [commandReply(command, why, clock.now())];
    const wakes = [{ key: deliverOutboxKey(fence.thread), dueAt: clock.now() }];
    await store.inbox.end(command.id, 'answered', { outboxMessages, wakes }, fence);
  }

  return {
    /**
     * Runs the commands of a thread at once, without its lease. Commands without an effect are left
     * to `endCommands`.
     */
    async runNow(thread: ThreadKey): Promise<void> {
      for (const command of await commandsOf(store, thread)) await runCommand(command);
    },

    /**
     * Ends the remaining commands under the thread's lease: stops, refuses, or says that nothing
     * was running.
     */
    async endCommands(fence: ThreadFence): Promise<void> {
      for (const command of await commandsOf(store, fence.thread)) await endCommand(command, fence);
    },
  };
}

async function commandsOf(
  { inbox }: ThreadCommandsDeps['store'],
  thread: ThreadKey,
): Promise<readonly InboxMessage[]> {
  return (await inbox.waiting(thread)).filter(isThreadCommand);
}

/**
 * The turns in progress when the command was written. In a DM each message is a thread, so a
 * top-level command means all of them.
 */
async function targetsOf(
  { inbox }: ThreadCommandsDeps['store'],
  command: InboxMessage,
): Promise<readonly InboxMessage[]> {
  const { team, channel, root } = placeOf(command.thread);
  const isTopLevel = isDirect(channel) && root === command.ts;
  const ongoing = await inbox.ongoing({ team, channel });
  return ongoing.filter(
    ({ thread, ts }) =>
      depthOf(thread) === 0 &&
      (isTopLevel || thread === command.thread) &&
      Number(ts) < Number(command.ts),
  );
}

/** Stops turns that are not yet stopped; true if there were any. */
async function stopFor(
  stopTurn: ReturnType<typeof createStopTurn>,
  command: InboxMessage,
  targets: readonly InboxMessage[],
): Promise<boolean> {
  const messageEnds = [{ id: command.id, how: 'answered' }] as const;
  let hasStopped = false;
  for (const target of targets) {
    hasStopped = (await stopTurn(target, command.author, { messageEnds })) || hasStopped;
  }
  return hasStopped;
}

async function forgetFor(
  { store, clock, graph }: ThreadCommandsDeps,
  { thread, author, id }: InboxMessage,
): Promise<void> {
  const effects = forgetEffects(thread, author, id, clock.now(), graph);
  const messageEnds = [{ id, how: 'answered' }] as const;
  await store.history.clear(thread, { ...effects, messageEnds });
}

/** Why the author may not clear the thread; undefined if they may. */
async function explainForgetDenied(
  { store, directory }: ThreadCommandsDeps,
  { thread, author }: InboxMessage,
): Promise<string | undefined> {
  const isSenderAdmin = async () => isAdmin(await directory.profileOf(author));
  return await explainForgetRefused(store, thread, author, isSenderAdmin);
}

const NOTHING_RUNNING = 'Nothing is running here, so there was nothing to stop.';

function commandReply(
  { id, thread, author }: InboxMessage,
  text: string,
  createdAt: number,
): OutboxMessage {
  return { id: `nothing:${id}`, thread, kind: 'private', to: author, text, createdAt };
}
