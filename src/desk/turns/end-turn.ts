/** Ends a turn without calling the model or resuming the graph. Safe at any time and idempotent. */

import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import { ruleExpiry, withdrawCall, withdrawUndelivered } from '../../domain/rules/end-rules.ts';
import { recordRunEnd } from '../../domain/rules/execution-rules.ts';
import type { InboxMessage, TurnMessage } from '../../domain/threads/message.ts';
import { advanceByStep } from '../calls/advance-call.ts';
import { describeStoppedRun } from '../calls/execution/run-tool.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import { failureMessages, outboxWake } from '../delivery/turn-outbox.ts';
import type { DeskDeps } from '../deps.ts';
import { findUndeliveredDecisions } from './graph-calls/undelivered-decisions.ts';
import type { InteractiveTurns } from './interactive-turns.ts';
import {
  answerUnfinishedCalls,
  isWholeTurn,
  type KnownTurn,
  toHistoryMessages,
} from './turn-records.ts';

const NONE: ReadonlySet<string> = new Set();

/** `lost`: the agent's state is gone and can't be rebuilt. */
export type EndCause = WithdrawalCause | 'lost';

/**
 * What the model sees of the end in later turns, so that it does not resume the work on its own.
 */
const END_NOTES: Readonly<Record<EndCause, string>> = {
  stop: '(A person stopped me here. I continue this only when I am asked to.)',
  'new-message': '(This ended here: there was a new message instead.)',
  'ignored-sibling': '(This ended here: a person ignored a call.)',
  'turn-ended': '(This ended here: it was no longer needed.)',
  cancelled: '(This ended here: the requester cancelled it.)',
  lost: '(This ended here: the stored state of my work on it was lost.)',
};

const LOST =
  'I ended this turn because the stored state of my work was lost. I did not start over, so that nothing is done twice. The cards show what was decided and what ran. Write again if there is more to do.';

/** What is known about the turn besides its calls. */
export interface TurnToEnd {
  readonly records: KnownTurn['records'];
  /** Marks messages of turns that nobody is watching as low priority: many may be lost at once. */
  mark: InteractiveTurns['mark'];
}

type EndDeps = Pick<DeskDeps, 'store' | 'agent' | 'clock'>;

/**
 * Builds the use case: withdraws what has not started, aborts running tools after a stop, and
 * settles the turn with one answer per call. False while something still runs. A lost turn is
 * rebuilt from its records and calls.
 */
export function createEndTurn(
  deps: EndDeps & Pick<DeskDeps, 'signals'>,
  closeLive: CloseLiveAnswer,
): (
  message: InboxMessage,
  cause: EndCause,
  fence: ThreadFence,
  turn: TurnToEnd,
) => Promise<boolean> {
  return async function endTurn(message, cause, fence, { records, mark }) {
    const calls = await endCalls(deps, message, cause, fence);
    // Aborts the turn's tools and helpers; only a stop interrupts a tool.
    if (cause === 'stop') deps.signals.stop(fence.thread);
    // The end of the run wakes the thread, and this runs again.
    if (calls.some((call) => !call.outcome && !isTerminal(call))) return false;
    await endWithCause({ ...deps, closeLive, mark }, message, cause, { records, calls }, fence);
    return true;
  };
}

async function endCalls(
  deps: EndDeps,
  message: InboxMessage,
  cause: EndCause,
  fence: ThreadFence,
): Promise<readonly Call[]> {
  const { store, agent, clock } = deps;
  const ended: Call[] = [];
  const all = await store.ledger.ofThread(message.thread, message.id);
  const isOurs = all.every((call) => behaviourOf(call).runBy !== 'graph');
  const held = isOurs
    ? NONE
    : findUndeliveredDecisions((await agent.read(fence.thread, fence)).open, all);
  for (const { id } of all) {
    const stepOf = (call: Call) => stepToEnd(call, cause, held.has(id), clock.now());
    const call = await advanceByStep(deps, id, stepOf, { by: message.stopped?.by });
    if (call) ended.push(call);
  }
  return ended;
}

/** Undefined if there is nothing to do but wait. */
function stepToEnd(call: Call, cause: EndCause, isHeld: boolean, now: number): Step | undefined {
  if (isHeld) return withdrawUndelivered(call, toWithdrawal(cause), now);
  if (call.status === 'unknown') return call.outcome ? undefined : ruleExpiry(call, now);
  // Its graph was interrupted with it.
  if (call.status === 'running' && behaviourOf(call).runBy === 'graph') {
    return recordRunEnd(call, { kind: 'error', text: describeInterruption(call, cause) }, now);
  }
  return withdrawCall(call, toWithdrawal(cause), now);
}

/** Settles the turn with its messages, its notices and one audit entry. */
async function endWithCause(
  deps: EndDeps & Pick<TurnToEnd, 'mark'> & { readonly closeLive: CloseLiveAnswer },
  message: InboxMessage,
  cause: EndCause,
  known: KnownTurn,
  fence: ThreadFence,
): Promise<void> {
  const { store, agent, clock, closeLive, mark } = deps;
  const now = clock.now();
  const unfinished = agent.unfinished(fence.thread);
  const messages = [
    ...(await messagesOf(deps, message, known, toWithdrawal(cause), fence)),
    closing(message, unfinished, cause),
  ];
  const failure = cause === 'lost' ? LOST : undefined;
  const failed = failure === undefined ? [] : mark(message, failureMessages(message, failure, now));
  const outboxMessages = [
    ...(await closeLive.ended(message, unfinished, cause === 'stop')),
    ...failed,
  ];
  const audit = {
    at: now,
    event: 'turn.ended',
    subject: message.id,
    actor: 'countersign',
    detail: { cause, messages: messages.length },
  };
  const turn = { id: message.id, settledAt: now, messages, ...(failure && { failure }) };
  const effects = { audit: [audit], outboxMessages, wakes: outboxWake(message, now) };
  await store.history.append(fence.thread, turn, effects, fence);
}

async function messagesOf(
  { agent }: EndDeps,
  message: InboxMessage,
  known: KnownTurn,
  cause: WithdrawalCause,
  fence: ThreadFence,
): Promise<readonly TurnMessage[]> {
  const state = await agent.read(fence.thread, fence);
  const isThere = state.turn === message.id && state.messages.length > 0;
  if (isThere && isWholeTurn(state, message.id, known)) return withAnswers(state, known, cause);
  return toHistoryMessages(message, known, cause);
}

/** The turn so far, with one answer for each call of its last message. */
function withAnswers(
  { messages }: GraphState,
  known: KnownTurn,
  cause: WithdrawalCause,
): readonly TurnMessage[] {
  const asker = messages.findLast((each) => each.role === 'assistant');
  const ids = new Set(messages.map(({ id }) => id));
  const answers = asker ? answerUnfinishedCalls(asker, known, cause) : [];
  return [...messages, ...answers.filter(({ id }) => !ids.has(id))];
}

function toWithdrawal(cause: EndCause): WithdrawalCause {
  return cause === 'lost' ? 'turn-ended' : cause;
}

function describeInterruption({ tool, outside }: Call, cause: EndCause): string {
  if (cause !== 'lost') return describeStoppedRun(tool);
  return `Handed to “${outside?.name ?? 'the graph'}”, whose state is lost. It may have run, partly or completely.`;
}

function closing({ id }: InboxMessage, unfinished: string, cause: EndCause): TurnMessage {
  const said = unfinished.trim() === '' ? '' : `${unfinished}…\n\n`;
  return { role: 'assistant', id: `${id}#ended`, text: `${said}${END_NOTES[cause]}`, calls: [] };
}
