import type { JsonValue } from '../../domain/json/json.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** One question of a graph to people; its id may be another one after somebody else has written the thread. */
export interface OpenInterrupt {
  readonly id: string;
  readonly value: unknown;
}

/** One task of the step at which a graph stands. */
export interface GraphTask {
  readonly name: string;
  /** Whether it has its result: it goes on listing the interrupts that it was answered through. */
  readonly isDone: boolean;
  readonly interrupts: readonly OpenInterrupt[];
}

/** A thread of a graph as it stands. */
export interface GraphSnapshot {
  /** Something runs in it that a worker had begun who is gone. */
  readonly isBusy: boolean;
  /** False for a thread that the graph has not seen. */
  readonly exists: boolean;
  /** Somebody has written its state by hand since its last step: what it asks then comes under other ids. */
  readonly isRewritten: boolean;
  /** The messages of its state, as it keeps them: message objects of the library, or their JSON. */
  readonly messages: readonly unknown[];
  /** None where it has ended. */
  readonly tasks: readonly GraphTask[];
}

/** What a run begins or goes on with: new messages, answers by interrupt id, or nothing. */
export type GraphInput =
  | { readonly kind: 'messages'; readonly messages: readonly JsonValue[] }
  | {
      readonly kind: 'answers';
      readonly answers: Readonly<Record<string, JsonValue>>;
      /** What its state has to hold before it takes them. */
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'proceed' };

/** How a run is held and heard. */
export interface GraphRun {
  readonly fence: ThreadFence;
  readonly signal: AbortSignal;
  /** Told of the words of the graph's own model as they come, with the id of their message. */
  readonly onText: (text: string, messageId: string | undefined) => void;
}

/** A LangGraph graph as others made it, in this process or on a server. */
export interface ForeignGraph {
  /** For people, and for rules of the policy. */
  readonly name: string;
  read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphSnapshot>;
  /** The messages of the states before the one that it stands at, newest first; each is read when it is asked for. */
  earlier(thread: ThreadKey): AsyncIterable<readonly unknown[]>;
  /** Resolves when the graph has ended or waits; rejects with `GraphError` when the graph itself failed. */
  run(input: GraphInput, run: GraphRun): Promise<void>;
  /** Waits for the end of what runs in the thread. */
  settle(thread: ThreadKey, signal: AbortSignal): Promise<void>;
  /** Ends what runs in the thread. */
  halt(thread: ThreadKey): Promise<void>;
}

/** A graph failed in its own code; to try it once more is for people to say. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
}
