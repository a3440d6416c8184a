import type { JsonValue } from '../../domain/json/json.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** A graph's question to people. Its id may change if somebody edits the thread's state. */
export interface OpenInterrupt {
  readonly id: string;
  readonly value: unknown;
}

/** A task of the graph's current step. */
export interface GraphTask {
  readonly name: string;
  /** Whether it has a result. A finished task still lists its answered interrupts. */
  readonly isDone: boolean;
  readonly interrupts: readonly OpenInterrupt[];
}

/** The current state of a graph's thread. */
export interface GraphSnapshot {
  /** Whether a run of an earlier worker is still active. */
  readonly isBusy: boolean;
  /** False if the graph does not know the thread. */
  readonly exists: boolean;
  /** Whether somebody edited its state after its last step. Its interrupts then have new ids. */
  readonly isRewritten: boolean;
  /** The state's messages, unconverted: LangChain message objects or their JSON. */
  readonly messages: readonly unknown[];
  /** Empty if the graph has finished. */
  readonly tasks: readonly GraphTask[];
}

/** Input of a run: new messages, answers by interrupt id, or nothing. */
export type GraphInput =
  | { readonly kind: 'messages'; readonly messages: readonly JsonValue[] }
  | {
      readonly kind: 'answers';
      readonly answers: Readonly<Record<string, JsonValue>>;
      /** Messages to add to the state first. */
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'proceed' };

/** Fence, abort signal and text callback of a run. */
export interface GraphRun {
  readonly fence: ThreadFence;
  readonly signal: AbortSignal;
  /** Called with the text of the graph's own model as it arrives, and the message's id. */
  readonly onText: (text: string, messageId: string | undefined) => void;
}

/** A foreign LangGraph graph, in this process or on a server. */
export interface ForeignGraph {
  /** Shown to people and used in policy rules. */
  readonly name: string;
  read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphSnapshot>;
  /** Yields the messages of earlier states, newest first. Reads each state on demand. */
  earlier(thread: ThreadKey): AsyncIterable<readonly unknown[]>;
  /**
   * Resolves when the graph has finished or waits. Rejects with `GraphError` if the graph failed.
   */
  run(input: GraphInput, run: GraphRun): Promise<void>;
  /** Waits until no run is active in the thread. */
  settle(thread: ThreadKey, signal: AbortSignal): Promise<void>;
  /** Cancels the thread's active runs. */
  halt(thread: ThreadKey): Promise<void>;
}

/** A graph failed in its own code. Only people may retry it. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
}
