/**
 * What a message does that arrives while calls are pending. It depends on the author's rights, not
 * on the text.
 */

import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { DecisionOutcome } from '../../../domain/calls/decision.ts';
import { shortDigest } from '../../../domain/calls/digest.ts';
import { isSamePerson } from '../../../domain/people/person.ts';
import { advanceTurnKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import { isOverdue, ruleExpiry, withdrawCall } from '../../../domain/rules/end-rules.ts';
import { sleep } from '../../../domain/runtime/sleep.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import { parentCallOf, rootOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import { commitSteps } from '../../calls/advance-call.ts';
import { leafCallsOf, type PendingWork, waitsForPeopleOnly } from '../../calls/pending-work.ts';
import type { Authorize } from '../../decisions/authorize.ts';
import type { createDecide } from '../../decisions/decide.ts';
import type { DeskDeps } from '../../deps.ts';
import { type createCheckSender, toBlockedError } from './check-sender.ts';
import { isThreadCommand } from './command-words.ts';
import { msUntilOrdered } from './message-order.ts';
import { notifyWaitingCalls, pointToCard } from './notify-author.ts';

type MessageDeps = Pick<DeskDeps, 'store' | 'clock'>;
type Decide = ReturnType<typeof createDecide>['decide'];

const BARE_YES = new Set([
  'yes',
  'y',
  'yep',
  'yeah',
  'ok',
  'okay',
  'sure',
  'approve',
  'approved',
  'lgtm',
  'go',
  'go ahead',
  'do it',
  '👍',
  ':+1:',
  ':thumbsup:',
  '✅',
  ':white_check_mark:',
]);

/** True if the text is only a "yes". That decides nothing; people decide on the card. */
export function isBareApproval(text: string): boolean {
  const plain = text.toLowerCase().replaceAll(/\p{Emoji_Modifier}|\uFE0F/gu, '');
  return BARE_YES.has(plain.replaceAll(/[\s.!]+/g, ' ').trim());
}

/** How a message is handled. */
interface HandleOptions {
  readonly open: (message: InboxMessage) => Promise<InboxMessage>;
  /** Ends the wait for an earlier message. */
  readonly signal: AbortSignal;
}

/**
 * Builds the use case: applies a thread's waiting messages to its pending calls. True if a call may
 * have changed, so that all must be read again. `open` downloads attachments. Authors of messages
 * that must wait are told.
 */
export function createMessageWhileWaiting(
  deps: MessageDeps,
  decide: Decide,
  checkSender: ReturnType<typeof createCheckSender>,
  authorize: Authorize,
) {
  const { store, clock } = deps;

  async function handleMessages(
    waiting: PendingWork,
    fence: ThreadFence,
    { open, signal }: HandleOptions,
  ): Promise<boolean> {
    if (parentCallOf(fence.thread) !== undefined) {
      await wakeRoot(deps, fence.thread);
      return false;
    }
    const messages = await store.inbox.waiting(fence.thread);
    for (const message of messages.filter((each) => !isThreadCommand(each))) {
      if (await waitForEarlier(clock, message, messages, signal)) return true;
      const mayAct = await checkSender(message, fence);
      if (mayAct && (await handleMessage(message, waiting, fence, open))) return true;
    }
    return false;
  }

  async function handleMessage(
    message: InboxMessage,
    waiting: PendingWork,
    fence: ThreadFence,
    open: HandleOptions['open'],
  ): Promise<boolean> {
    // While a tool runs, or its outcome is unknown, nothing is withdrawn.
    if (!waitsForPeopleOnly(waiting))
      return await notifyWaitingCalls(deps, message, fence, waiting);
    const leaves = leafCallsOf(waiting);
    const isYes = isBareApproval(message.text) && !message.files;
    // If nothing can be approved, a "yes" is an answer.
    if (isYes && !leaves.every((call) => behaviourOf(call).asksFor === 'text'))
      return await pointToCard(deps, message, fence);
    const decidable = await decidableBy(authorize, message, leaves);
    // Attachments are downloaded only if the text goes to the agent now.
    if (decidable.length > 0)
      return await reply({ store, decide }, decidable, await open(message), fence);
    if (isYes) return await pointToCard(deps, message, fence);
    // Helpers' calls are withdrawn with their parent call.
    const requested = waiting.calls.filter((call) => isSamePerson(call.requester, message.author));
    if (requested.length === 0) return await notifyWaitingCalls(deps, message, fence, waiting);
    return await withdrawAll(deps, requested);
  }

  return handleMessages;
}

/**
 * Waits while an earlier message may still arrive. True if it waited, because people may have
 * decided meanwhile.
 */
async function waitForEarlier(
  clock: DeskDeps['clock'],
  message: InboxMessage,
  waiting: readonly InboxMessage[],
  signal: AbortSignal,
): Promise<boolean> {
  const ms = msUntilOrdered(message, waiting, clock.now());
  if (ms > 0) await sleep(clock, ms, signal);
  return ms > 0;
}

/** People write only in the root thread. Their messages may have waited for this helper. */
async function wakeRoot({ store, clock }: MessageDeps, thread: ThreadKey): Promise<void> {
  const root = rootOf(thread);
  if ((await store.inbox.waiting(root)).length === 0) return;
  await store.agenda.wake([{ key: advanceTurnKey(root), dueAt: clock.now() }]);
}

/** If the author's rights can't be looked up, the message waits and withdraws nothing. */
async function decidableBy(
  authorize: Authorize,
  { author }: InboxMessage,
  calls: readonly Call[],
): Promise<readonly Call[]> {
  const decidable: Call[] = [];
  for (const call of calls) {
    const { permission, failure } = await authorize(call, author, 'reply');
    if (failure !== undefined) throw toBlockedError(failure);
    if (permission.kind === 'allowed') decidable.push(call);
  }
  return decidable;
}

/** Uses the text as the reply to these calls. True if one of them may have changed. */
async function reply(
  { store, decide }: Pick<DeskDeps, 'store'> & { readonly decide: Decide },
  calls: readonly Call[],
  message: InboxMessage,
  fence: ThreadFence,
): Promise<boolean> {
  const kinds: DecisionOutcome['kind'][] = [];
  for (const [index, call] of calls.entries()) {
    const { id: callId, attempt } = call;
    const digest = shortDigest(call.digest);
    const decision = { kind: 'reply', text: message.text } as const;
    const command = { callId, attempt, digest, by: message.author, decision };
    // Only with the last reply, so that after a crash the other calls still get theirs.
    const isLast = index === calls.length - 1;
    const ends = isLast ? { messageEnds: [{ id: message.id, how: 'reply' as const }] } : {};
    kinds.push((await decide(command, ends)).kind);
  }
  // The text was used as a reply, so it must not also start a turn.
  const isUsed = kinds.includes('decided') && kinds.at(-1) !== 'decided';
  if (isUsed) await store.inbox.end(message.id, 'reply', {}, fence);
  return kinds.some((kind) => kind !== 'not-allowed');
}

async function withdrawAll(deps: MessageDeps, calls: readonly Call[]): Promise<boolean> {
  let moved = false;
  for (const call of calls) moved = (await withdraw(deps, call)) || moved;
  return moved;
}

async function withdraw({ store, clock }: MessageDeps, call: Call): Promise<boolean> {
  const now = clock.now();
  // The deadline counts even if the expiry has not been processed yet.
  const step = isOverdue(call, now)
    ? ruleExpiry(call, now)
    : withdrawCall(call, 'new-message', now);
  if (!step) return false;
  return await commitSteps({ store }, call, [step], { by: call.requester });
}
