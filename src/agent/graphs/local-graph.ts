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

// biome-ignore lint/suspicious/noExplicitAny: the types of its nodes and channels are its maker's.
type AnyGraph = Pregel<any, any>;

/** A graph in this process, whose runs `stream` begins. */
export interface LocalGraph {
  readonly graph: AnyGraph;
  /** For messages alone: an agent fills in what its middleware keeps in the state, and knows no answers but those of its own copy of the library. */
  readonly stream: AnyGraph['stream'];
  readonly saver: BaseCheckpointSaver;
}

/** Makes the graph in this process; its thread ids are our keys, and a saver of ours finds the fence beside them. */
export function createLocalGraph(name: string, { graph, stream, saver }: LocalGraph): ForeignGraph {
  /** What has its result says so by what it wrote, if not by a value of the state. */
  async function doneTasks(config: object): Promise<ReadonlySet<string>> {
    const tuple = await saver.getTuple(config);
    const writes = tuple?.pendingWrites ?? [];
    return new Set(writes.filter(([, channel]) => !CONTROL.has(channel)).map(([task]) => task));
  }

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
    const done = tasks.length > 0 ? await doneTasks({ configurable }) : new Set();
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
        // What a task has done is stored before the next one begins.
        durability: 'sync' as const,
      };
      try {
        const begin = input.kind === 'messages' ? stream : graph.stream.bind(graph);
        for await (const [, piece] of await begin(toInput(input), options)) {
          const words = readStreamChunk(piece);
          if (words) onText(words.text, words.id);
        }
      } catch (error) {
        throw isOurs(error) ? error : new GraphError(describeGraphError(error), { cause: error });
      }
    },
    // A run ends with its signal.
    settle: async () => {},
    halt: async () => {},
  };
}

/** What a task writes about itself. */
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
  throw new GraphError('An interrupt has no id, so it can’t be answered alone.');
}

/** What is not the graph's own fault is tried again by whoever runs it. */
function isOurs(error: unknown): boolean {
  return error instanceof StaleFenceError || error instanceof StoreUnavailableError;
}

function describeGraphError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
