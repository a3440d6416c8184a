/** Calls of graphs that run their own tools: their claim is the handing over, and what came of them is read from the graph's messages. */

import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { isRunByGraph } from '../../../domain/calls/call-origin.ts';
import { withdrawCall } from '../../../domain/calls/decision-rules.ts';
import { recordRunEnd } from '../../../domain/calls/execution-rules.ts';
import { type Outcome, type ToolReply, toToolReply } from '../../../domain/calls/outcome.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { canonicalJson, readStoredJson } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import type { GraphState, OpenCall } from '../../../domain/ports/agent.ts';
import type { ModelCall, TurnMessage } from '../../../domain/threads/message.ts';
import { advanceByStep } from '../../calls/advance-call.ts';
import { shortenResult } from '../../calls/execution/run-tool.ts';
import type { DeskDeps } from '../../deps.ts';
import { matchOpenCalls } from './match-open-calls.ts';

type End = Extract<Outcome, { kind: 'result' | 'error' }>;

const NOT_AS_DECIDED = 'Not run: what is stored of it is not what was decided.';

const LOST = 'Not run: the graph’s middleware drops approved calls beside a rejected one.';

/** Says a handed call to its graph, as soon as people or the policy have decided it; undefined before. */
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
  const told = { ...toToolReply(outcome), endsTurn: false };
  // Words that nobody wrote must not pass for a person's.
  if (!isIntact(call)) return { ...told, text: NOT_AS_DECIDED, status: 'error' };
  if (outcome.kind === 'reply') return { ...told, decision: { kind: 'reply', text: outcome.text } };
  return outcome.kind === 'ignored' ? { ...told, decision: { kind: 'ignore' } } : told;
}

/** Brings the ledger's calls of a turn to where the graph stands. */
export interface GraphCallResults {
  /** Finishes those that the graph has taken just now: interrupt ids by their own. */
  finishTaken(ids: ReadonlyMap<string, string>, state: GraphState): Promise<void>;
  /** Ends those for which the graph waits no more; resolves with those that were decided and may never have reached it. */
  endGone(turn: string, state: GraphState, fence: ThreadFence): Promise<readonly Call[]>;
}

/** Creates it; every step may be repeated. */
export function createGraphCallResults({
  store,
  clock,
}: Pick<DeskDeps, 'store' | 'clock'>): GraphCallResults {
  async function writeCallStep(
    id: string,
    stepOf: (call: Call) => Step | undefined,
  ): Promise<void> {
    await advanceByStep({ store }, id, (call) =>
      isRunByGraph(call) && !isTerminal(call) ? stepOf(call) : undefined,
    );
  }

  const finishStep = (
    call: Call,
    all: readonly Call[],
    state: GraphState,
    sayUntold: (name: string) => string,
  ) =>
    call.status === 'running'
      ? end(call, readEnd(call, all, state, sayUntold), clock.now())
      : undefined;

  return {
    async finishTaken(ids, state) {
      for (const [id, interruptId] of ids) {
        const call = await store.ledger.get(id);
        if (!call || !isRunByGraph(call)) continue;
        const all = await store.ledger.ofThread(call.thread, call.turn);
        const isLost = state.lost?.includes(interruptId);
        await writeCallStep(id, (each) =>
          isLost && each.status === 'running'
            ? recordRunEnd(each, { kind: 'error', text: LOST }, clock.now())
            : finishStep(each, all, state, describeSilentGraph),
        );
      }
    },
    async endGone(turn, state, fence) {
      const all = await store.ledger.ofThread(fence.thread, turn);
      const open = new Set(matchOpenCalls(state.open, all).map(({ stored }) => stored?.id));
      const gone = all.filter((call) => isRunByGraph(call) && !open.has(call.id));
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

/** Finds the calls that were decided and not handed over, since others of their batch were not: by their ids. */
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
      stored?.status === 'running' && isRunByGraph(stored) ? [stored.id] : [],
    ),
  );
}

/** What is not in the ledger can't be read, and is answered without people. A stop may have been cut off when it had taken some back. */
function isDecided(call: Call | undefined): boolean {
  if (!call) return true;
  const { outcome, status } = call;
  if (outcome) return outcome.kind !== 'withdrawn' || outcome.cause !== 'stop';
  return status === 'running';
}

interface HandedEnd {
  readonly outcome: End;
  /** Nothing says what came of it: that it was handed over is all that is known. */
  readonly isUntold: boolean;
}

function end(call: Call, { outcome, isUntold }: HandedEnd, now: number): Step {
  const { outside } = call;
  const known =
    outside && isUntold ? { ...call, outside: { ...outside, isSilent: true as const } } : call;
  return recordRunEnd(known, outcome, now);
}

/** What the graph's own messages say of a call that it has taken. */
function readEnd(
  call: Call,
  all: readonly Call[],
  { messages, failure }: GraphState,
  sayUntold: (name: string) => string,
): HandedEnd {
  const found = findInMessages(call, all, messages);
  if (found?.answer) {
    const { status } = found.answer;
    const text = shortenResult(found.answer.text);
    return { outcome: { kind: status === 'ok' ? 'result' : 'error', text }, isUntold: false };
  }
  const name = call.outside?.name ?? 'the graph';
  const why = failure === undefined ? undefined : 'did not get to its end';
  const left = why ?? (found && 'left it without an answer');
  if (left !== undefined) {
    const text = `Handed to “${name}”, which ${left}. It may have run, in part or whole.`;
    return { outcome: { kind: 'error', text }, isUntold: false };
  }
  return { outcome: { kind: 'result', text: sayUntold(name) }, isUntold: true };
}

/** Says in the thread that a question was decided for which its graph waits no more, where nothing has come of it. */
export function withUnusedDecision(state: GraphState, untaken: readonly Call[]): GraphState {
  const last = state.messages.at(-1)?.id;
  const lost = untaken.filter(({ messageId }) => messageId === last);
  const [first] = lost;
  if (!first || state.failure !== undefined) return state;
  const what = [...new Set(lost.map(({ tool }) => `“${tool}”`))].join(', ');
  const { notice: _none, ...rest } = state;
  const failure = `“${first.outside?.name}” no longer waits for ${what}: what was decided may not have reached it.`;
  return { ...rest, failure };
}

function describeSilentGraph(name: string): string {
  return `Handed to “${name}”, which did not say what came of it.`;
}

/** A worker may have handed it over and died, or somebody else has taken the question away. */
function describeClosedQuestion(name: string): string {
  return `“${name}” waits for this no more, and did not say what came of it.`;
}

/** The model's call, with its answer; undefined where the messages hold no such call. An interrupt does not say which it is about: the same tool with the same arguments is, in order. */
function findInMessages(call: Call, all: readonly Call[], messages: readonly TurnMessage[]) {
  const asker = messages.find(({ id, role }) => role === 'assistant' && id === call.messageId);
  if (asker?.role !== 'assistant') return undefined;
  const meant = asker.calls.filter((each) => isMeant(call, each));
  const alike = all.filter((each) => isRunByGraph(each) && isAlike(each, call));
  // A rejected one may be gone from the message, or stand there under another name.
  const there = meant.length < alike.length ? alike.filter(({ claim }) => claim) : alike;
  const made = meant[there.findIndex(({ id }) => id === call.id)];
  if (!made) return undefined;
  const answer = messages.find(({ id }) => id === `${asker.id}/${made.id}`);
  return { answer: answer?.role === 'tool' ? answer : undefined };
}

function isMeant(call: Call, made: ModelCall): boolean {
  const json = parseStrictJson(made.args);
  if (made.tool !== call.tool || !json.ok) return false;
  const args = canonicalJson(json.value);
  return args === call.args || args === call.proposedArgs;
}

function isAlike(one: Call, other: Call): boolean {
  const isSame = one.messageId === other.messageId && one.tool === other.tool;
  return isSame && one.args === other.args && one.proposedArgs === other.proposedArgs;
}
