/** What a graph's thread means to us: its phase, its open calls, and why a turn can't continue. */
import type { ToolReply } from '../../domain/calls/outcome.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import { toPlainJson } from '../../domain/json/to-plain-json.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { TurnMessage } from '../../domain/threads/message.ts';
import type { GraphSnapshot, OpenInterrupt } from './foreign-graph.ts';
import { fillMissingAnswers, type GraphTurn } from './graph-messages.ts';
import type { ForeignRequest } from './protocols/protocol.ts';
import { explainUnsupportedInterrupt, toOpenCalls, toResumeValue } from './to-open-calls.ts';

/** Ends the turn but leaves the graph's tasks open: the thread's next message closes them. */
export function end(state: GraphState, failure: string): GraphState {
  const { notice: _dropped, ...rest } = state;
  return { ...rest, open: [], phase: 'finished', failure };
}

/** Tells people that the graph failed. */
export function describeFailedRun(name: string): string {
  return `“${name}” stopped with an error. Its last action may be partly done. Send another message to continue from here. The app’s log has the details.`;
}

function describeUnsupportedAnswer(
  name: string,
  { request, reply }: { readonly request: ForeignRequest; readonly reply: ToolReply },
): string {
  return `“${name}” asked about “${request.tool}” but does not accept this answer, so its turn ended: ${reply.text}`;
}

/** Tells people that the graph stopped without a question. */
export function describeBreakpoint(name: string): string {
  return `“${name}” stopped at a breakpoint, which has no question that I can show. Its developer can call interrupt() instead.`;
}

/** Tells people that the thread can’t continue. */
export function describeUnreadable(name: string): string {
  return `The stored state of this thread for “${name}” can’t be read, so it can’t continue here. Start a new thread.`;
}

/** Tells people that the graph does not keep messages. */
export function describeMissingMessages(name: string): string {
  return `“${name}” did not keep your message. Its developer must add a “messages” list to its state.`;
}

const LEFT_OPEN = 'Not run: the turn ended before anyone decided.';

/** Answers the calls that are still open after a turn ended outside the graph. */
export function answerOpenCalls({ tasks, messages }: GraphSnapshot): readonly JsonValue[] {
  return tasks.length === 0 ? [] : fillMissingAnswers(messages, LEFT_OPEN);
}

/** Skips finished tasks: they still list their answered interrupts. */
export function openOf({ tasks }: GraphSnapshot): readonly OpenInterrupt[] {
  return tasks
    .filter(({ isDone }) => !isDone)
    .flatMap(({ interrupts }) => interrupts)
    .map(({ id, value }) => ({ id, value: toPlainJson(value) }));
}

/** Returns the state of a thread; `turn` is the one that the graph works on. */
export function toGraphState(
  snapshot: GraphSnapshot,
  turn: GraphTurn | undefined,
  name: string,
): GraphState {
  const interrupts = openOf(snapshot);
  const state: GraphState = {
    turn: turn?.id,
    messages: turn?.messages ?? [],
    open: turn ? toOpenCalls(snapshot.isRewritten, interrupts, turn, name) : [],
    phase: phaseOf(snapshot),
    failure: undefined,
    ...(isSilent(snapshot, turn?.messages) && { notice: `“${name}” ended without an answer.` }),
    usage: undefined,
  };
  const ids = new Set(interrupts.map(({ id }) => id));
  // With duplicate ids, an answer would go to the first interrupt.
  const why =
    ids.size < interrupts.length
      ? describeAmbiguous(name)
      : explainUnsupportedInterrupt(interrupts, name);
  return why === undefined ? state : end(state, why);
}

function describeAmbiguous(name: string): string {
  return `“${name}” asks several questions at once in one task, so their answers would be mixed up. Its developer can put each question in its own task.`;
}

function isSilent(snapshot: GraphSnapshot, messages: readonly TurnMessage[] | undefined): boolean {
  if (!messages || phaseOf(snapshot) !== 'finished') return false;
  const last = messages.at(-1);
  return last?.role !== 'assistant' || last.text.trim() === '' || last.calls.length > 0;
}

function phaseOf({ isBusy, exists, tasks }: GraphSnapshot): GraphState['phase'] {
  if (isBusy) return 'stuck';
  if (!exists) return 'none';
  if (tasks.length === 0) return 'finished';
  const live = tasks.filter(({ isDone }) => !isDone);
  const isCutOff = live.length === 0 || live.some(({ interrupts }) => interrupts.length === 0);
  return isCutOff ? 'stuck' : 'waiting';
}

/** Encodes the answers. `why` explains the first reply that its interrupt does not accept. */
export function toAnswers(
  name: string,
  snapshot: GraphSnapshot,
  replies: Readonly<Record<string, ToolReply>>,
) {
  const answers: Record<string, JsonValue> = {};
  const lost: string[] = [];
  const messages: JsonValue[] = [];
  let why: string | undefined;
  for (const interrupt of openOf(snapshot)) {
    const answer = toResumeValue(interrupt, replies, snapshot.messages);
    if (answer?.kind === 'unsupported') why ??= describeUnsupportedAnswer(name, answer);
    if (answer?.kind !== 'answer') continue;
    answers[interrupt.id] = answer.value;
    lost.push(...answer.lost);
    messages.push(...answer.messages);
  }
  return { answers, lost, messages, why };
}
