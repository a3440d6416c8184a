/**
 * A simulated agent: it requests the calls that the text of the message names, and stores
 * its checkpoints like the real graph, with the fence of the thread, across process deaths.
 */

import type { ToolReply } from '../../../src/domain/calls/outcome.ts';
import type { ThreadFence } from '../../../src/domain/ports/agenda.ts';
import type { Agent, GraphState, OpenCall } from '../../../src/domain/ports/agent.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { TurnMessage } from '../../../src/domain/threads/message.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Passage } from '../../support/store/faulty-store.ts';
import { planOf } from '../model/plans.ts';

interface Checkpoint {
  readonly turn: string;
  readonly messages: readonly TurnMessage[];
  readonly phase: Exclude<GraphState['phase'], 'none'>;
  readonly endsTurn: boolean;
}

/** The checkpoints of all threads; they outlive every process. */
export type Checkpoints = Map<ThreadKey, Checkpoint>;

type Asker = Extract<TurnMessage, { role: 'assistant' }>;

/** Creates the agent of one process over shared checkpoints; `store` is the unwrapped store. */
export function createLabAgent(
  checkpoints: Checkpoints,
  store: Pick<Store, 'ledger'>,
  passage: Passage,
): Agent {
  /** Checks the fence and writes at once, like the real savers. */
  async function save(fence: ThreadFence, next: Checkpoint | undefined): Promise<void> {
    await passage.pass('saver.put', async () => {
      // The only write of the store that checks a fence and does nothing else.
      await store.ledger.markDelivered([], fence);
      if (next) checkpoints.set(fence.thread, next);
      else checkpoints.delete(fence.thread);
    });
  }

  function stateOf(thread: ThreadKey): GraphState {
    const kept = checkpoints.get(thread);
    if (!kept) return NOTHING;
    const { turn, messages, phase, endsTurn } = kept;
    const open = phase === 'waiting' ? openCalls(messages) : [];
    const end = endsTurn && ({ endsTurn } as const);
    return { turn, messages, open, phase, ...end, failure: undefined, usage: undefined };
  }

  async function ask(fence: ThreadFence, signal: AbortSignal): Promise<GraphState> {
    signal.throwIfAborted();
    const kept = checkpoints.get(fence.thread);
    if (!kept) throw new Error(`The graph of ${fence.thread} holds no turn.`);
    // No model gives the same answer twice: each of its messages has its own number.
    const next = kept.endsTurn ? { ...kept, phase: 'finished' as const } : think(kept, fence.token);
    await save(fence, next);
    return stateOf(fence.thread);
  }

  return {
    read: async (thread) => stateOf(thread),
    async start(message, fence, signal) {
      const { id, text, author, receivedAt: at } = message;
      const said = { role: 'user', id, text, author, at } as const;
      await save(fence, { turn: id, messages: [said], phase: 'stuck', endsTurn: false });
      return await ask(fence, signal);
    },
    async resume(thread, replies, fence, signal) {
      const kept = checkpoints.get(thread);
      if (!kept) throw new Error(`The graph of ${thread} holds no turn.`);
      const answers = openCalls(kept.messages).flatMap((call): TurnMessage[] => {
        const reply = replies[call.interruptId];
        return reply ? [toMessage(call, reply)] : [];
      });
      const messages = [...kept.messages, ...answers];
      const isWhole = openCalls(messages).length === 0;
      const endsTurn = kept.endsTurn || Object.values(replies).some((reply) => reply.endsTurn);
      await save(fence, { ...kept, messages, endsTurn, phase: isWhole ? 'stuck' : 'waiting' });
      return isWhole ? await ask(fence, signal) : stateOf(thread);
    },
    proceed: async (_thread, fence, signal) => await ask(fence, signal),
    async rebuild({ turn, messages }, fence, signal) {
      signal.throwIfAborted();
      await save(fence, { turn, messages, phase: 'waiting', endsTurn: false });
      return stateOf(fence.thread);
    },
    unfinished: () => '',
    forget: (_thread, fence) => save(fence, undefined),
  };
}

const NOTHING: GraphState = {
  turn: undefined,
  messages: [],
  open: [],
  phase: 'none',
  failure: undefined,
  usage: undefined,
};

function think(kept: Checkpoint, number: number): Checkpoint {
  const asked = kept.messages.filter(({ role }) => role === 'assistant').length;
  const [first] = kept.messages;
  const tools = planOf(first?.text ?? '')[asked] ?? [];
  const id = `${kept.turn}#ai${asked}~${number}`;
  const calls = tools.map((tool, index) => ({
    id: `c${index}`,
    tool,
    args: JSON.stringify({ note: `${asked}.${index}` }),
  }));
  const text = calls.length > 0 ? '' : `Answer to ${kept.turn}`;
  const message: Asker = { role: 'assistant', id, text, calls };
  const phase = calls.length > 0 ? 'waiting' : 'finished';
  return { ...kept, messages: [...kept.messages, message], phase };
}

function openCalls(messages: readonly TurnMessage[]): readonly OpenCall[] {
  const asker = messages.findLast((each): each is Asker => each.role === 'assistant');
  if (!asker) return [];
  const answered = new Set(messages.map(({ id }) => id));
  return asker.calls
    .map((call, position) => ({
      // It changes with every answer, as real ones may.
      interruptId: `${asker.id}/${call.id}@${messages.length}`,
      messageId: asker.id,
      toolCallId: call.id,
      position,
      siblings: asker.calls.length,
      tool: call.tool,
      argsText: call.args,
      words: asker.text,
    }))
    .filter(({ messageId, toolCallId }) => !answered.has(`${messageId}/${toolCallId}`));
}

function toMessage(call: OpenCall, { text, status }: ToolReply): TurnMessage {
  const { messageId, toolCallId: callId, tool } = call;
  return { role: 'tool', id: `${messageId}/${callId}`, callId, tool, text, status };
}
