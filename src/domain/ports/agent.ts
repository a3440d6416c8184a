import type { CallOrigin } from '../calls/call-origin.ts';
import type { ToolReply } from '../calls/outcome.ts';
import type { ModelCost, TurnMessage, Usage } from '../threads/message.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { ThreadFence } from './agenda.ts';
import type { MessageWithFiles } from './file-ports.ts';

/** A tool call that the graph waits for. */
export interface OpenCall {
  /** Where to deliver its answer. May change between reads, so never store it. */
  readonly interruptId: string;
  readonly messageId: string;
  readonly toolCallId: string;
  readonly position: number;
  readonly siblings: number;
  readonly tool: string;
  /** Raw text, as the model wrote it. */
  readonly argsText: string;
  /** The message's text beside its calls. */
  readonly words: string;
  /** Calls of one batch are answered together. (Default: all open calls form one batch.) */
  readonly batch?: string;
  /** The thread was written externally after the call was made, so it may have had another id. */
  readonly isRenewed?: true;
  /** Set if the graph runs its own tools: it gets a decision instead of an outcome. */
  readonly outside?: CallOrigin;
}

/** The current state of a thread's graph. */
export interface GraphState {
  /** Id of the message that started the turn; undefined if there is none. */
  readonly turn: string | undefined;
  /** Messages of this turn, oldest first. */
  readonly messages: readonly TurnMessage[];
  readonly open: readonly OpenCall[];
  /**
   * `waiting`: for outcomes of `open`; `stuck`: a step was interrupted and must be continued;
   * `unreadable`: the stored state is damaged.
   */
  readonly phase: 'none' | 'waiting' | 'stuck' | 'finished' | 'unreadable';
  /** An answer ends the turn: continuing does not call the model. */
  readonly endsTurn?: true;
  /** Why the turn ended without a final answer: one sentence for the person. */
  readonly failure: string | undefined;
  /**
   * What to tell the person about the answer: parts of their message that the model did not get.
   */
  readonly notice?: string;
  /** The part of the failure that only the requester may read. */
  readonly privateNotice?: string;
  /**
   * Interrupt ids of approved calls that their graph dropped without running, because others of the
   * step were rejected.
   */
  readonly lost?: readonly string[];
  /** Model use so far; undefined if the provider does not report it. */
  readonly usage: Usage | undefined;
  /** The same as counted by our own graph; absent for others. */
  readonly spent?: ModelCost | undefined;
}

/** The state of a thread that can't be read. */
export const UNREADABLE_STATE: GraphState = {
  turn: undefined,
  messages: [],
  open: [],
  phase: 'unreadable',
  failure: undefined,
  usage: undefined,
};

/** A turn as stored in its records. */
export interface RecordedTurn {
  /** Id of the message that started it. */
  readonly turn: string;
  /** The helper whose turn it is. */
  readonly agent?: string | undefined;
  /**
   * Oldest first. The last message is the model's, with unanswered calls. All earlier calls are
   * answered.
   */
  readonly messages: readonly TurnMessage[];
  readonly spent?: ModelCost | undefined;
  readonly notice?: string | undefined;
}

/**
 * The agent behind the threads. Writes carry the thread's fence and throw `StaleFenceError` if it
 * is old.
 */
export interface Agent {
  /** Reads the state. A fence also blocks later writes by older workers. */
  read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState>;
  /** Starts a turn with the person's message, dropping the thread's previous state. */
  start(message: MessageWithFiles, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /** Answers open calls by interrupt id. The others stay open. */
  resume(
    thread: ThreadKey,
    replies: Readonly<Record<string, ToolReply>>,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState>;
  /** Continues an interrupted step. */
  proceed(thread: ThreadKey, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /**
   * Replaces a thread's stored state by a turn, waiting for its last calls. Absent for graphs that
   * are not ours, whose state nobody else can build.
   */
  rebuild?(turn: RecordedTurn, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  /**
   * Returns the unsaved state for the commit that goes with it; undefined if there is none. Absent
   * if the graph stores its own state.
   */
  snapshot?(fence: ThreadFence): Promise<string | undefined>;
  /**
   * Stores state that no commit has included, before the thread waits. Absent if the graph stores
   * its own state.
   */
  rest?(fence: ThreadFence): Promise<void>;
  /** Returns the text of an incomplete answer received by this process; empty if none. */
  unfinished(thread: ThreadKey): string;
  /** Deletes the graph's state of a completed turn. */
  forget(thread: ThreadKey, fence: ThreadFence): Promise<void>;
}

/** Stored states of our own graph, as text: a cache of the turn, beside its records. */
export interface Checkpoints {
  /**
   * Returns undefined if there is none. Throws `StaleFenceError` for an old fence, and
   * `UnreadableStateError` for damaged state.
   */
  read(thread: ThreadKey, fence?: ThreadFence): Promise<string | undefined>;
  /** Replaces the stored state. */
  keep(thread: ThreadKey, state: string, fence: ThreadFence): Promise<void>;
}

/** A thread's stored state is damaged or from another version. Retrying does not help. */
export class UnreadableStateError extends Error {
  override readonly name = 'UnreadableStateError';
}
