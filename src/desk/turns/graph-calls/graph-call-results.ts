/**
 * Calls of graphs that run their own tools. The claim hands the decision to the graph; the result
 * is read from the graph's messages.
 */

import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { type Outcome, type ToolReply, toToolReply } from '../../../domain/calls/outcome.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { canonicalJson, readStoredJson } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import type { GraphState, OpenCall } from '../../../domain/ports/agent.ts';
import { withdrawCall } from '../../../domain/rules/end-rules.ts';
import { recordRunEnd } from '../../../domain/rules/execution-rules.ts';
import type { ModelCall, TurnMessage } from '../../../domain/threads/message.ts';
import { advanceByStep } from '../../calls/advance-call.ts';
import { shortenResult } from '../../calls/execution/run-tool.ts';
import type { DeskDeps } from '../../deps.ts';
import { matchOpenCalls } from './match-open-calls.ts';

type End = Extract<Outcome, { kind: 'result' | 'error' }>;

const NOT_AS_DECIDED = 'Not run: the stored call is not what was decided.';

const LOST = 'Not run: the graph’s middleware drops approved calls beside a rejected one.';

/**
 * The reply to the graph for a call, once people or the policy have decided it; undefined before.
 */
export function toGraphReply(call: Call): ToolReply | undefined {
  const { status, outcome, args, proposedArgs } = call;
  if (!outcome) {
    if (status !== 'running') return undefined;
    const decision =
      args === proposedArgs
        ? ({ kind: 'approve' } as const)
        : ({ kind: 'edit', args: readStoredJson(args) } as const);
    return { v: 1, text: '', status: 'ok', endsTurn: false, decision };
  }
  const reply = { ...toToolReply(outcome), endsTurn: false };
  // A forged reply must not look like a person's words.
  if (!isIntact(call)) return { ...reply, text: NOT_AS_DECIDED, status: 'error' };
  if (outcome.kind === 'reply')
    return { ...reply, decision: { kind: 'reply', text: outcome.text } };
  return outcome.kind === 'ignored' ? { ...reply, decision: { kind: 'ignore' } } : reply;
}

/** Updates a turn's stored calls from the state of the graph. */
export interface GraphCallResults {
  /** Finishes the calls that the graph has just taken; maps call ids to interrupt ids. */
  finishTaken(ids: ReadonlyMap<string, string>, state: GraphState): Promise<void>;
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
  async function writeCallStep(
    id: string,
    stepOf: (call: Call) => Step | undefined,
  ): Promise<void> {
    await advanceByStep({ store }, id, (call) =>
      behaviourOf(call).runBy === 'graph' && !isTerminal(call) ? stepOf(call) : undefined,
    );
  }

  const finishStep = (
    call: Call,
    all: readonly Call[],
    state: GraphState,
    describeUnreported: (name: string) => string,
  ) =>
    call.status === 'running'
      ? end(call, readEnd(call, all, state, describeUnreported), clock.now())
      : undefined;

  return {
    async finishTaken(ids, state) {
      for (const [id, interruptId] of ids) {
        const call = await store.ledger.get(id);
        if (!call || behaviourOf(call).runBy !== 'graph') continue;
        const all = await store.ledger.ofThread(call.thread, call.turn);
        const isLost = state.lost?.includes(interruptId);
        await writeCallStep(id, (each) =>
          isLost && each.status === 'running'
            ? recordRunEnd(each, { kind: 'error', text: LOST }, clock.now())
            : finishStep(each, all, state, describeSilentGraph),
        );
      }
    },
    async endClosedCalls(turn, state, known, fence) {
      // Another graph may have started the turn of our graph.
      if (agent.rebuild && !known.some((call) => behaviourOf(call).runBy === 'graph')) return [];
      const all = await store.ledger.ofThread(fence.thread, turn);
      const open = new Set(matchOpenCalls(state.open, all).map(({ stored }) => stored?.id));
      const gone = all.filter((call) => behaviourOf(call).runBy === 'graph' && !open.has(call.id));
      for (const { id } of gone) {
        await writeCallStep(
          id,
          (call) =>
            finishStep(call, all, state, describeClosedQuestion) ??
            withdrawCall(call, 'cancelled', clock.now()),
        );
      }
      return gone.filter(({ delivered, verdict }) => !delivered && verdict !== undefined);
    },
  };
}

/**
 * Ids of calls that were decided but not handed over, because others of their batch are undecided.
 */
export function findUndeliveredDecisions(
  open: readonly OpenCall[],
  all: readonly Call[],
): ReadonlySet<string> {
  const matched = matchOpenCalls(open, all);
  const unfinished = new Set(
    matched.filter(({ stored }) => !isDecided(stored)).map((each) => each.open.batch),
  );
  const held = matched.filter(
    ({ open: { batch } }) => batch !== undefined && unfinished.has(batch),
  );
  return new Set(
    held.flatMap(({ stored }) =>
      stored?.status === 'running' && behaviourOf(stored).runBy === 'graph' ? [stored.id] : [],
    ),
  );
}

/**
 * A call that is not stored was unreadable and is answered without people. A call that a
 * stop withdrew counts as undecided, because the stop may have been cut off.
 */
function isDecided(call: Call | undefined): boolean {
  if (!call) return true;
  const { outcome, status } = call;
  if (outcome) return outcome.kind !== 'withdrawn' || outcome.cause !== 'stop';
  return status === 'running';
}

interface GraphCallEnd {
  readonly outcome: End;
  /** No message reports a result; only the handover is known. */
  readonly isUnreported: boolean;
}

function end(call: Call, { outcome, isUnreported }: GraphCallEnd, now: number): Step {
  const { outside } = call;
  const known =
    outside && isUnreported ? { ...call, outside: { ...outside, isSilent: true as const } } : call;
  return recordRunEnd(known, outcome, now);
}

/** Reads the result of a handed-over call from the graph's messages. */
function readEnd(
  call: Call,
  all: readonly Call[],
  { messages, failure }: GraphState,
  describeUnreported: (name: string) => string,
): GraphCallEnd {
  const found = findInMessages(call, all, messages);
  if (found?.answer) {
    const { status } = found.answer;
    const text = shortenResult(found.answer.text);
    return { outcome: { kind: status === 'ok' ? 'result' : 'error', text }, isUnreported: false };
  }
  const name = call.outside?.name ?? 'the graph';
  const why = failure === undefined ? undefined : 'did not finish';
  const left = why ?? (found && 'left it without an answer');
  if (left !== undefined) {
    const text = `Handed to “${name}”, which ${left}. It may have run, partly or completely.`;
    return { outcome: { kind: 'error', text }, isUnreported: false };
  }
  return { outcome: { kind: 'result', text: describeUnreported(name) }, isUnreported: true };
}

/**
 * Adds a failure if a decision may not have reached the graph, because it no longer waits for it.
 */
export function withUnusedDecision(state: GraphState, undelivered: readonly Call[]): GraphState {
  const last = state.messages.at(-1)?.id;
  const lost = undelivered.filter(({ messageId }) => messageId === last);
  const [first] = lost;
  if (!first || state.failure !== undefined) return state;
  const what = [...new Set(lost.map(({ tool }) => `“${tool}”`))].join(', ');
  const { notice: _none, ...rest } = state;
  const failure = `“${first.outside?.name}” no longer waits for ${what}: the decision may not have reached it.`;
  return { ...rest, failure };
}

function describeSilentGraph(name: string): string {
  return `Handed to “${name}”, which did not report a result.`;
}

/** A worker may have handed it over and died, or someone else has removed the question. */
function describeClosedQuestion(name: string): string {
  return `“${name}” no longer waits for this and did not report a result.`;
}

/**
 * The model's call with its answer, or undefined. Interrupts do not name their call, so calls with
 * the same tool and arguments are matched in order.
 */
function findInMessages(call: Call, all: readonly Call[], messages: readonly TurnMessage[]) {
  const asker = messages.find(({ id, role }) => role === 'assistant' && id === call.messageId);
  if (asker?.role !== 'assistant') return undefined;
  const candidates = asker.calls.filter((each) => mayBeCall(call, each));
  const alike = all.filter((each) => behaviourOf(each).runBy === 'graph' && isAlike(each, call));
  // A rejected call may be missing from the message or have another name there.
  const there = candidates.length < alike.length ? alike.filter(({ claim }) => claim) : alike;
  const made = candidates[there.findIndex(({ id }) => id === call.id)];
  if (!made) return undefined;
  const answer = messages.find(({ id }) => id === `${asker.id}/${made.id}`);
  return { answer: answer?.role === 'tool' ? answer : undefined };
}

function mayBeCall(call: Call, made: ModelCall): boolean {
  const json = parseStrictJson(made.args);
  if (made.tool !== call.tool || !json.ok) return false;
  const args = canonicalJson(json.value);
  return args === call.args || args === call.proposedArgs;
}

function isAlike(one: Call, other: Call): boolean {
  const isSame = one.messageId === other.messageId && one.tool === other.tool;
  return isSame && one.args === other.args && one.proposedArgs === other.proposedArgs;
}
