import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client, type Run } from '@langchain/langgraph-sdk';
import { v5 as uuidV5 } from 'uuid';
import { z } from 'zod';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { fetchWithExactNumbers } from './exact-fetch.ts';
import {
  type ForeignGraph,
  GraphError,
  type GraphInput,
  type GraphRun,
  type GraphSnapshot,
} from './foreign-graph.ts';
import { readStreamChunk } from './read-stream-chunk.ts';

/** Address of a graph on a LangGraph server. */
export interface RemoteAddress {
  readonly url: string;
  readonly assistant: string;
  readonly apiKey?: string;
}

/** Never change it: thread ids on servers are derived from it. */
const NAMESPACE = '3b0a8c52-6b0e-4b56-9d0f-6c1f1f0f7d0e';

/** Returns a thread's id on the server, which accepts only UUIDs. */
export function remoteThreadId(thread: ThreadKey): string {
  return uuidV5(thread, NAMESPACE);
}

/** The state in the form that the library's `RemoteGraph` returns. */
const STATE = z.object({
  values: z.object({ messages: z.array(z.unknown()).catch([]) }).catch({ messages: [] }),
  metadata: z.object({ source: z.string().optional() }).nullish(),
  config: z.object({ configurable: z.object({ checkpoint_id: z.string().optional() }).optional() }),
  parentConfig: z.looseObject({ configurable: z.looseObject({}) }).optional(),
  tasks: z.array(
    z.object({
      name: z.string(),
      result: z.unknown(),
      interrupts: z.array(
        z.object({
          interrupt_id: z.string().nullish(),
          id: z.string().nullish(),
          value: z.unknown(),
        }),
      ),
    }),
  ),
});

/**
 * Wraps a graph on a LangGraph server. A run continues there if we crash: the next worker waits for its
 * end. A thread never has two runs at once.
 */
export function createRemoteGraph(address: RemoteAddress): ForeignGraph {
  const { assistant } = address;
  const client = createClient(address);
  const remote = new RemoteGraph({ graphId: assistant, client });

  async function read(thread: ThreadKey): Promise<GraphSnapshot> {
    const config = { configurable: { thread_id: remoteThreadId(thread) } };
    // Checked before the state is read, so that a run that ends in between is in the state.
    const isBusy = (await activeRuns(client, thread)).length > 0;
    const found = await remote.getState(config).catch(undefinedIfNotFound);
    if (!found) return { isBusy, exists: false, isRewritten: false, messages: [], tasks: [] };
    return toSnapshot(STATE.parse(found), isBusy);
  }

  async function* earlier(thread: ThreadKey) {
    const config = { configurable: { thread_id: remoteThreadId(thread) } };
    let { parentConfig: at } = STATE.parse(await remote.getState(config));
    while (at) {
      const before = STATE.parse(await remote.getState(at));
      yield before.values.messages;
      at = before.parentConfig;
    }
  }

  async function streamRun(input: GraphInput, { fence, signal, onText }: GraphRun): Promise<void> {
    const stream = client.runs.stream(remoteThreadId(fence.thread), assistant, {
      ...toPayload(input),
      streamMode: ['messages-tuple'],
      ifNotExists: 'create',
      multitaskStrategy: 'reject',
      onDisconnect: 'continue',
      durability: 'sync',
      signal,
    });
    await consumeStream(stream, onText).catch((error: unknown) => {
      const isRefused = REFUSALS.has(statusOf(error) ?? 0);
      throw isRefused ? new GraphError(describeRemoteError(error), { cause: error }) : error;
    });
  }

  return {
    name: assistant,
    read,
    earlier,
    run: streamRun,
    async settle(thread, signal) {
      for (const { run_id } of await activeRuns(client, thread)) {
        await client.runs.join(remoteThreadId(thread), run_id, { signal });
      }
    },
    async halt(thread) {
      for (const { run_id } of await activeRuns(client, thread)) {
        await client.runs.cancel(remoteThreadId(thread), run_id, true);
      }
    },
  };
}

async function activeRuns(client: Client, thread: ThreadKey): Promise<readonly Run[]> {
  const id = remoteThreadId(thread);
  const runs = await client.runs.list(id, { limit: 20 }).catch(undefinedIfNotFound);
  return (runs ?? []).filter(({ status }) => status === 'pending' || status === 'running');
}

function toSnapshot(
  { values, tasks, metadata, config: at }: z.output<typeof STATE>,
  isBusy: boolean,
): GraphSnapshot {
  return {
    isBusy,
    exists: typeof at.configurable?.checkpoint_id === 'string',
    isRewritten: metadata?.source === 'update',
    messages: values.messages,
    tasks: tasks.map(({ name, result, interrupts }) => ({
      name,
      isDone: result !== undefined && result !== null,
      interrupts: interrupts.map(({ interrupt_id, id, value }) => ({
        id: idOf(interrupt_id ?? id),
        value,
      })),
    })),
  };
}

/** Reads to the end: the library's own stream stops at the first of several interrupts. */
async function consumeStream(
  stream: AsyncIterable<Piece>,
  onText: GraphRun['onText'],
): Promise<void> {
  for await (const { event, data } of stream) {
    if (event.startsWith('error')) throw new GraphError(JSON.stringify(data));
    const chunk = event === 'messages' ? readStreamChunk(data) : undefined;
    if (chunk) onText(chunk.text, chunk.id);
  }
}

interface Piece {
  readonly event: string;
  readonly data: unknown;
}

/** Statuses of runs that the server will never accept, so a retry is useless. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/**
 * Returns why the server's assistant can't be used; undefined if it can. Rejects if the server does
 * not answer.
 */
export async function findRemoteProblem(address: RemoteAddress): Promise<string | undefined> {
  const { url, assistant } = address;
  try {
    await createClient(address).assistants.getGraph(assistant);
    return undefined;
  } catch (error) {
    const status = statusOf(error);
    if (status === 401 || status === 403) {
      return `GRAPH: ${url} refuses ${address.apiKey ? 'GRAPH_API_KEY' : 'requests without a key: set GRAPH_API_KEY'} (${status}).`;
    }
    if (status === undefined || !REFUSALS.has(status)) throw error;
    return `GRAPH: ${url} has no assistant “${assistant}” (${status}). Write the name of a graph on that server, or an assistant’s id, after the #.`;
  }
}

/** No retries here: a repeated request could start a run twice. The agenda retries the turn. */
function createClient({ url, apiKey }: RemoteAddress): Client {
  const callerOptions = { maxRetries: 0, fetch: fetchWithExactNumbers };
  return new Client({ apiUrl: url, apiKey: apiKey ?? null, callerOptions });
}

function statusOf(error: unknown): number | undefined {
  return z.object({ status: z.number() }).safeParse(error).data?.status;
}

function describeRemoteError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toPayload(input: GraphInput) {
  if (input.kind === 'messages') return { input: { messages: [...input.messages] } };
  if (input.kind === 'proceed') return { input: null };
  const { answers: resume, messages } = input;
  const update = messages.length > 0 && { update: { messages: [...messages] } };
  return { command: { resume, ...update } };
}

/** The server answers 404 for an unknown thread. */
function undefinedIfNotFound(error: unknown): undefined {
  if (statusOf(error) === 404) return undefined;
  throw error;
}

function idOf(id: string | null | undefined): string {
  if (id) return id;
  throw new GraphError(
    'The server’s interrupts have no ids, so they can’t be answered. Update the server.',
  );
}
