/** Ends a turn as it stands: the model is not asked, the graph not resumed. Safe at any moment, and to be repeated. */
import type { ThreadFence } from '../domain/agenda.ts';
import type { GraphState } from '../domain/agent.ts';
import { type Call, isTerminal } from '../domain/call.ts';
import { editOf } from '../domain/call-edit.ts';
import { finish } from '../domain/claim.ts';
import { expire, withdraw, withdrawHeld } from '../domain/decide.ts';
import type { InboxMessage, TurnMessage } from '../domain/message.ts';
import { toToolReply, type WithdrawalCause } from '../domain/outcome.ts';
import { isHanded } from '../domain/outside.ts';
import type { Step } from '../domain/transitions.ts';
import type { CloseLive } from './close-live.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';
import { findHeld } from './handed-calls.ts';
import { sayStopped } from './run-tool.ts';
import { wakeSay } from './turn-words.ts';

const NONE: ReadonlySet<string> = new Set();

type AssistantMessage = Extract<TurnMessage, { role: 'assistant' }>;

/** How the agent is told of the end in later turns, so that it does not take the work up again by itself. */
const LAST_WORDS: Readonly<Record<WithdrawalCause, string>> = {
  stop: '(A person stopped me here. I go on with this only when I am asked to.)',
  'new-message': '(This ended here: there was a new message instead.)',
  'ignored-sibling': '(This ended here: a person ignored a call.)',
  'turn-ended': '(This ended here: it was no longer needed.)',
  cancelled: '(This ended here: whoever asked took it back.)',
};

/** Builds the use case: takes back what has not begun, aborts what runs where a person stopped it, and settles the turn with one answer for each call; resolves with whether it is settled, or waits for what still runs. */
export function createEndTurn(
  deps: Pick<DeskDeps, 'store' | 'agent' | 'clock' | 'signals'>,
  closeLive: CloseLive,
): (message: InboxMessage, cause: WithdrawalCause, fence: ThreadFence) => Promise<boolean> {
  const { store, agent, clock, signals } = deps;

  /** Undefined when there is nothing to be done but to wait. */
  function stepToEnd(call: Call, cause: WithdrawalCause, isHeld: boolean): Step | undefined {
    if (isHeld) return withdrawHeld(call, cause, clock.now());
    if (call.status === 'unknown') return call.outcome ? undefined : expire(call, clock.now());
    // Its graph was cut off with it.
    if (call.status === 'running' && isHanded(call)) {
      return finish(call, { kind: 'error', text: sayStopped(call.tool) }, clock.now());
    }
    return withdraw(call, cause, clock.now());
  }

  /** Others may write the call at the same time: it is read again until it stands. */
  async function endCall(
    id: string,
    cause: WithdrawalCause,
    by: InboxMessage['stopped'],
    isHeld: boolean,
  ) {
    for (;;) {
      const call = await store.ledger.get(id);
      const step = call && stepToEnd(call, cause, isHeld);
      if (!call || !step) return call;
      if (await store.ledger.write(call, [step], effectsOf(call, [step], by?.by))) return step.call;
    }
  }

  async function endCalls(
    message: InboxMessage,
    cause: WithdrawalCause,
    fence: ThreadFence,
  ): Promise<readonly Call[]> {
    const ended: Call[] = [];
    const all = await store.ledger.ofThread(message.thread, message.id);
    const isOurs = all.every((call) => !isHanded(call));
    const held = isOurs ? NONE : findHeld((await agent.read(fence.thread, fence)).open, all);
    for (const { id } of all) {
      const call = await endCall(id, cause, message.stopped, held.has(id));
      if (call) ended.push(call);
    }
    return ended;
  }

  async function settle(
    message: InboxMessage,
    cause: WithdrawalCause,
    calls: readonly Call[],
    fence: ThreadFence,
  ): Promise<void> {
    const now = clock.now();
    const unfinished = agent.unfinished(fence.thread);
    const says = await closeLive.ended(message, unfinished);
    const messages = [
      ...messagesOf(await agent.read(fence.thread, fence), message, calls),
      closing(message, unfinished, cause),
    ];
    const audit = {
      at: now,
      event: 'turn.ended',
      subject: message.id,
      actor: 'countersign',
      detail: { cause, messages: messages.length },
    };
    const turn = { id: message.id, settledAt: now, messages };
    const effects = { audit: [audit], says, wakes: wakeSay(message, now) };
    await store.history.append(fence.thread, turn, effects, fence);
  }

  return async function endTurn(message, cause, fence) {
    const calls = await endCalls(message, cause, fence);
    // What runs for it ends, and helpers that think for it; nothing else than a stop cuts a tool off.
    if (cause === 'stop') signals.stop(fence.thread);
    // The end of a run wakes the thread, and this is done again.
    if (calls.some((call) => !call.outcome && !isTerminal(call))) return false;
    await settle(message, cause, calls, fence);
    return true;
  };
}

/** The turn as far as it came, each call of its last message with one answer. */
function messagesOf(
  state: GraphState,
  message: InboxMessage,
  calls: readonly Call[],
): readonly TurnMessage[] {
  const { id, text, author, receivedAt } = message;
  const began = state.turn === id && state.messages.length > 0;
  const messages: readonly TurnMessage[] = began
    ? state.messages
    : [{ role: 'user', id, text, author, at: receivedAt }];
  const asker = messages.findLast((each) => each.role === 'assistant');
  return asker ? [...messages, ...answersOf(asker, messages, calls)] : messages;
}

function answersOf(
  asker: AssistantMessage,
  messages: readonly TurnMessage[],
  calls: readonly Call[],
): readonly TurnMessage[] {
  const isAnswered = (callId: string) =>
    messages.some((each) => each.role === 'tool' && each.id === `${asker.id}/${callId}`);
  return asker.calls
    .filter(({ id }) => !isAnswered(id))
    .map(({ id: callId, tool }) => {
      const call = calls.find((each) => each.messageId === asker.id && each.toolCallId === callId);
      const { text, status } = toToolReply(
        call?.outcome ?? { kind: 'withdrawn', cause: 'stop' },
        call && editOf(call),
        call?.votes,
      );
      return { role: 'tool', id: `${asker.id}/${callId}`, callId, tool, text, status };
    });
}

function closing({ id }: InboxMessage, unfinished: string, cause: WithdrawalCause): TurnMessage {
  const said = unfinished.trim() === '' ? '' : `${unfinished}…\n\n`;
  return { role: 'assistant', id: `${id}#ended`, text: `${said}${LAST_WORDS[cause]}`, calls: [] };
}
