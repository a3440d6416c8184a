import type { CallOrigin } from '../calls/call-origin.ts';
import type { ToolReply } from '../calls/outcome.ts';
import type { ModelCost, TurnMessage, Usage } from '../threads/message.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { ThreadFence } from './agenda.ts';
import type { MessageWithFiles } from './file-ports.ts';

/** A tool call that the graph waits for. */
export interface OpenCall {
  /** Where its answer is delivered; may change between reads, never keep it. */
  readonly interruptId: string;
  readonly messageId: string;
  readonly toolCallId: string;
  readonly position: number;
  readonly siblings: number;
  readonly tool: string;
  /** Raw text, as the model wrote it. */
  readonly argsText: string;
  /** The text beside the calls of the message. */
  readonly words: string;
  /** Calls of one batch are answered together, whatever becomes of the others. (Default: all that are open are one.) */
  readonly batch?: string;
  /** Its thread was written from outside of us since it was asked, so it may have had another id before. */
  readonly isRenewed?: true;
  /** Set where the graph runs its own tools, and takes a decision where ours takes an outcome. */
  readonly outside?: CallOrigin;
}

/** A thread's graph as it stands. */
export interface GraphState {
  /** Id of the message whose turn it holds; undefined when it holds none. */
  readonly turn: string | undefined;
  /** Messages of this turn, oldest first. */
  readonly messages: readonly TurnMessage[];
  readonly open: readonly OpenCall[];
  /** `waiting`: for the outcomes of `open`; `stuck`: a step was cut off and must be proceeded with; `unreadable`: what is stored is damaged. */
  readonly phase: 'none' | 'waiting' | 'stuck' | 'finished' | 'unreadable';
  /** It has taken an answer that ends the turn: whoever goes on with it does not ask the model. */
  readonly endsTurn?: true;
  /** Why the turn ended without a last word: one sentence for the person. */
  readonly failure: string | undefined;
  /** What the person should know about the answer, in a sentence or two: what of their message the model was not given. */
  readonly notice?: string;
  /** What only the person who asked may read of the failure. */
  readonly privateNotice?: string;
  /** Interrupt ids of calls that were approved in the step before and that their graph has not run: it drops them beside rejected ones. */
  readonly lost?: readonly string[];
  /** What the turn took so far; undefined where the provider does not tell. */
  readonly usage: Usage | undefined;
  /** The same as the graph adds it up; absent where it is not ours. */
  readonly spent?: ModelCost | undefined;
}

/** The state of a thread of which nothing can be read. */
export const UNREADABLE_STATE: GraphState = {
  turn: undefined,
  messages: [],
  open: [],
  phase: 'unreadable',
  failure: undefined,
  usage: undefined,
};

/** A turn as the records tell it. */
export interface RecordedTurn {
  /** Id of the message that began it. */
  readonly turn: string;
  /** The helper whose turn it is. */
  readonly agent?: string | undefined;
  /** Oldest first. The last one is the model's; its calls have no answers yet, and all others have theirs. */
  readonly messages: readonly TurnMessage[];
  readonly spent?: ModelCost | undefined;
  readonly notice?: string | undefined;
}

/** The agent behind the threads. Its writes carry the thread's fence and throw `StaleFenceError` when it is old. */
export interface Agent {
  /** With a fence, what an older worker writes from then on is refused. */
  read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState>;
  /** Begins a turn with the person's message; what the thread held before is gone. */
  start(message: MessageWithFiles, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /** Answers open calls, by interrupt id; the others stay open. */
  resume(
    thread: ThreadKey,
    replies: Readonly<Record<string, ToolReply>>,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState>;
  /** Goes on with a step that was cut off. */
  proceed(thread: ThreadKey, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /** Puts a turn in place of whatever is stored of the thread, and waits for the calls of its last message. Absent where the graph is not ours: nobody else can tell its state. */
  rebuild?(turn: RecordedTurn, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /** The state as text, for the commit that goes with it; undefined where there is none. Absent where the graph stores its state by itself. */
  snapshot?(fence: ThreadFence): Promise<string | undefined>;
  /** The thread waits for others: what no commit has taken along is stored. Absent where the graph stores its state by itself. */
  rest?(fence: ThreadFence): Promise<void>;
  /** What this process heard of an answer that has not become whole; empty when there is none. */
  unfinished(thread: ThreadKey): string;
  /** Drops what the graph holds of a settled turn. */
  forget(thread: ThreadKey, fence: ThreadFence): Promise<void>;
}

/** Where the state of our graph is stored as text: a cache of the turn, beside its records. */
export interface Checkpoints {
  /** Undefined where there is none; with a fence that is known to be old it throws `StaleFenceError`, and for one that is damaged `UnreadableStateError`. */
  read(thread: ThreadKey, fence?: ThreadFence): Promise<string | undefined>;
  /** Stores a state in place of the one before. */
  keep(thread: ThreadKey, state: string, fence: ThreadFence): Promise<void>;
}

/** What is stored of a graph's thread is damaged, or another version wrote it. To ask again is of no use. */
export class UnreadableStateError extends Error {
  override readonly name = 'UnreadableStateError';
}
