import { type BaseCheckpointSaver, Command, type Pregel } from '@langchain/langgraph';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { StaleFenceError, StoreUnavailableError } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import {
  type ForeignGraph,
  GraphError,
  type GraphInput,
  type GraphSnapshot,
} from './foreign-graph.ts';
import { readStreamChunk } from './read-stream-chunk.ts';

// biome-ignore lint/suspicious/noExplicitAny: its author defines the types of its nodes and channels.
type AnyGraph = Pregel<any, any>;

/** A graph in this process. */
export interface LocalGraph {
  readonly graph: AnyGraph;
  /**
   * Starts runs with messages: an agent adds its middleware's state. Answers go to `graph`, since
   * an agent may not know our `Command`.
   */
  readonly stream: AnyGraph['stream'];
  readonly saver: BaseCheckpointSaver;
}

/**
 * Wraps a graph in this process. Its thread ids are our thread keys; the config also carries the
 * fence.
 */
export function createLocalGraph(name: string, { graph, stream, saver }: LocalGraph): ForeignGraph {
  async function* earlier(thread: ThreadKey) {
    let { parentConfig: at } = await graph.getState({ configurable: configOf(thread, undefined) });
    while (at) {
      const before = await graph.getState(at);
      yield messagesOf(before.values);
      at = before.parentConfig;
    }
  }

  async function read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphSnapshot> {
    const configurable = configOf(thread, fence);
    const { values, tasks, config, metadata } = await graph.getState({ configurable });
    const exists = config.configurable?.checkpoint_id !== undefined;
    const done = tasks.length > 0 ? await doneTasks(saver, { configurable }) : new Set();
    return {
      isBusy: false,
      exists,
      isRewritten: metadata?.source === 'update',
      messages: messagesOf(values),
      tasks: tasks.map((task) => ({
        name: task.name,
        isDone: task.result !== undefined || done.has(task.id),
        interrupts: task.interrupts.map(({ id, value }) => ({ id: idOf(id), value })),
      })),
    };
  }

  return {
    name,
    read,
    earlier,
    async run(input, { fence, signal, onText }) {
      const options = {
        configurable: configOf(fence.thread, fence),
        signal,
        streamMode: ['messages'] as 'messages'[],
        // Store each step before the next one starts.
        durability: 'sync' as const,
      };
      try {
        const begin = input.kind === 'messages' ? stream : graph.stream.bind(graph);
        for await (const [, piece] of await begin(toInput(input), options)) {
          const chunk = readStreamChunk(piece);
          if (chunk) onText(chunk.text, chunk.id);
        }
      } catch (error) {
        throw isStoreError(error)
          ? error
          : new GraphError(describeGraphError(error), { cause: error });
      }
    },
    // A run in this process ends with its signal.
    settle: async () => {},
    halt: async () => {},
  };
}

/** Finds finished tasks by their writes: a task's result may be undefined. */
async function doneTasks(saver: LocalGraph['saver'], config: object): Promise<ReadonlySet<string>> {
  const tuple = await saver.getTuple(config);
  const writes = tuple?.pendingWrites ?? [];
  return new Set(writes.filter(([, channel]) => !CONTROL.has(channel)).map(([task]) => task));
}

/** Channels of LangGraph itself: writes there are not a task's result. */
const CONTROL: ReadonlySet<string> = new Set([
  '__error__',
  '__error_source_node__',
  '__interrupt__',
  '__resume__',
  '__scheduled__',
]);

function configOf(thread: ThreadKey, fence: ThreadFence | undefined) {
  return { thread_id: thread, ...(fence && { fence_token: fence.token }) };
}

function messagesOf(values: { readonly messages?: unknown } | undefined): readonly unknown[] {
  return Array.isArray(values?.messages) ? values.messages : [];
}

function toInput(input: GraphInput) {
  if (input.kind === 'proceed') return null;
  if (input.kind === 'messages') return { messages: input.messages };
  const { answers: resume, messages } = input;
  return new Command({ resume, ...(messages.length > 0 && { update: { messages } }) });
}

function idOf(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new GraphError('An interrupt has no id, so it can’t be answered.');
}

/** Errors of our own store, which the worker retries. */
function isStoreError(error: unknown): boolean {
  return error instanceof StaleFenceError || error instanceof StoreUnavailableError;
}

function describeGraphError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
