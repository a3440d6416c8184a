/**
 * Ends the calls of graphs that run their own tools. The claim hands the decision to the graph; the
 * result is read from the graph's messages, by the id of the answer to each call.
 */

import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import type { GraphState } from '../../../domain/ports/agent.ts';
import { withdrawCall } from '../../../domain/rules/end-rules.ts';
import { recordRunEnd } from '../../../domain/rules/execution-rules.ts';
import { advanceByStep } from '../../calls/advance-call.ts';
import { shortenResult } from '../../calls/execution/run-tool.ts';
import type { DeskDeps } from '../../deps.ts';
import { matchModelCalls } from './match-model-calls.ts';
import { matchOpenCalls } from './match-open-calls.ts';

const LOST = 'Not run: the graph’s middleware drops approved calls beside a rejected one.';

/** Updates a turn's stored calls from the state of the graph. */
export interface GraphCallResults {
  /** Finishes the calls that the graph has just taken; `taken` maps call ids to interrupt ids. */
  finishTaken(
    turn: string,
    state: GraphState,
    taken: ReadonlyMap<string, string>,
    fence: ThreadFence,
  ): Promise<void>;
  /**
   * Ends calls that the graph no longer waits for. Returns those that were decided but may not have
   * reached it. `known` are calls of the turn; our own graph leaves none to end.
   */
  endClosedCalls(
    turn: string,
    state: GraphState,
    known: readonly Call[],
    fence: ThreadFence,
  ): Promise<readonly Call[]>;
}

/** Creates it; every operation is idempotent. */
export function createGraphCallResults({
  store,
  agent,
  clock,
}: Pick<DeskDeps, 'store' | 'agent' | 'clock'>): GraphCallResults {
  async function endCall(id: string, stepOf: (call: Call) => Step | undefined): Promise<void> {
    await advanceByStep({ store }, id, (call) =>
      isGraphs(call) && !isTerminal(call) ? stepOf(call) : undefined,
    );
  }

  return {
    async finishTaken(turn, state, taken, fence) {
      const calls = (await store.ledger.ofThread(fence.thread, turn)).filter(isGraphs);
      const answers = matchModelCalls(calls, state.messages);
      for (const [id, interruptId] of taken) {
        if (!calls.some((call) => call.id === id)) continue;
        await endCall(id, (call) => {
          if (call.status !== 'running') return undefined;
          return state.lost?.includes(interruptId)
            ? recordRunEnd(call, { kind: 'error', text: LOST }, clock.now())
            : endTaken(call, answers.get(id), state, describeSilentGraph, clock.now());
        });
      }
    },
    async endClosedCalls(turn, state, known, fence) {
      // Another graph may have started the turn of our graph.
      if (agent.rebuild && !known.some(isGraphs)) return [];
      const all = await store.ledger.ofThread(fence.thread, turn);
      const open = new Set(matchOpenCalls(state.open, all).map(({ stored }) => stored?.id));
      const closed = all.filter((call) => isGraphs(call) && !open.has(call.id));
      const answers = matchModelCalls(all.filter(isGraphs), state.messages);
      for (const { id } of closed) {
        await endCall(id, (call) =>
          call.status === 'running'
            ? endTaken(call, answers.get(id), state, describeClosedQuestion, clock.now())
            : withdrawCall(call, 'cancelled', clock.now()),
        );
      }
      return closed.filter(({ delivered, verdict }) => !delivered && verdict !== undefined);
    },
  };
}

function isGraphs(call: Call): boolean {
  return behaviourOf(call).runBy === 'graph';
}

/** Ends a call that its graph has taken, with the graph's answer to it if there is one. */
function endTaken(
  call: Call,
  answerId: string | undefined,
  { messages, failure }: GraphState,
  describeUnreported: (name: string) => string,
  now: number,
): Step {
  const answer = answerId === undefined ? undefined : messages.find(({ id }) => id === answerId);
  if (answer?.role === 'tool') {
    const kind = answer.status === 'ok' ? 'result' : 'error';
    return recordRunEnd(call, { kind, text: shortenResult(answer.text) }, now);
  }
  const { outside } = call;
  const name = outside?.name ?? 'the graph';
  const isLeft = answerId !== undefined && 'left it without an answer';
  const why = failure === undefined ? isLeft : 'did not finish';
  if (why) {
    const text = `Handed to “${name}”, which ${why}. It may have run, partly or completely.`;
    return recordRunEnd(call, { kind: 'error', text }, now);
  }
  // No message reports a result; only the handover is known.
  const silent = outside ? { ...call, outside: { ...outside, isSilent: true as const } } : call;
  return recordRunEnd(silent, { kind: 'result', text: describeUnreported(name) }, now);
}

function describeSilentGraph(name: string): string {
  return `Handed to “${name}”, which did not report a result.`;
}

/** A worker may have handed it over and died, or someone else has removed the question. */
function describeClosedQuestion(name: string): string {
  return `“${name}” no longer waits for this and did not report a result.`;
}
