/** The only file of the doctor that talks to a model or a graph: a start-up probe of the agent can take its place. */
import { z } from 'zod';
import { askModel } from '../../agent/ask-model.ts';
import { loadGraph } from '../../agent/foreign/load-graph.ts';
import { findRemoteProblem } from '../../agent/foreign/remote-graph.ts';
import type { ModelFailure } from '../../agent/model-failure.ts';
import { loadChatModel } from '../../agent/providers/load-chat-model.ts';
import { toChatMessages } from '../../agent/to-chat-messages.ts';
import { defineTool } from '../../agent/tools/define-tool.ts';
import type { Clock } from '../../domain/clock.ts';
import { type GraphConfig, graphNameOf } from '../../graph-config.ts';
import type { ModelConfig } from '../../model-config.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { type Finding, messageOf } from './finding.ts';
import { withScratchFolder } from './scratch-folder.ts';

const TIMEOUT_MS = 60_000;
const TOOL = 'report_ready';
const NOBODY = { team: '', user: '' };

/** Sends the model one small request with one tool, through the client that the app uses. */
export async function checkModel(
  { name, provider, ...access }: ModelConfig,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  const model = await loadChatModel({
    ...access,
    model: `${provider}/${name}`,
    timeoutMs: TIMEOUT_MS,
    maxRetries: 0,
  }).catch((error: unknown) => messageOf(error));
  if (typeof model === 'string') return { status: 'problem', message: model };
  const facts: { status?: unknown }[] = [];
  const warn = (fields: object) => void facts.push(fields);
  const text = `This checks a connection. Call the tool ${TOOL} once, with ready set to true.`;
  const { calls, failure } = await askModel(
    { model, clock, log: { warn } },
    {
      messages: toChatMessages(
        [{ id: TOOL, role: 'user', text, author: NOBODY, at: clock.now() }],
        new Map(),
      ),
      tools: [makeTool()],
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  const called = `${provider}/${name}`;
  if (failure !== undefined) {
    const status = facts.find((each) => each.status !== undefined)?.status;
    const heard = status === undefined ? '' : ` (HTTP ${status})`;
    const { baseUrl, key } = model.variables;
    const remedy = REMEDIES[failure] ?? OTHER_REMEDY;
    const message = `${called} did not answer${heard}: ${remedy.replace('{key}', key)}`;
    return { status: 'problem', message: message.replace('{baseUrl}', baseUrl) };
  }
  if (calls.some(({ tool }) => tool === TOOL)) {
    return { status: 'ok', message: `${called} answers, and calls tools.` };
  }
  return {
    status: 'warning',
    message: `${called} answered without calling the tool that it was asked to call. The agent acts through tools: choose a model that calls them, or start its server with tool calls enabled.`,
  };
}

const OTHER_REMEDY =
  'its server did not accept a request with a tool. Check that the model can call tools, and how its server is started.';
const REMEDIES: Readonly<Partial<Record<ModelFailure, string>>> = {
  auth: 'its server does not accept the key. Check {key}.',
  'no-credit': 'the account has no credit left. Add credit, or use another key.',
  'not-found': 'its server does not know the model or the address. Check MODEL and {baseUrl}.',
  'rate-limited': 'its server gets too many requests from this account. Try again in a minute.',
  overloaded: 'its server failed. Try again in a few minutes.',
  timeout: 'there was no answer in time. Check that the model is loaded, then try again.',
  unreachable: 'its server can’t be reached. Check {baseUrl}, the network and the proxy.',
  'cut-off': 'the answer broke off. Check the proxy and the server’s limits.',
  unreadable: 'what came is no answer of a model. Check {baseUrl}: it often ends with /v1.',
  length: 'the answer reached a length limit at once. Raise the server’s limit of output tokens.',
  empty: 'the answer was empty. Check that the model can call tools.',
};

function makeTool() {
  const made = defineTool({
    name: TOOL,
    description: 'Reports that the connection works.',
    schema: z.object({ ready: z.boolean() }),
    run: () => 'ok',
  });
  if (made.kind !== 'tool') throw new Error(made.reason);
  return made.tool;
}

/** Loads the graph, or asks its server for it. */
export async function checkGraph(
  graph: GraphConfig,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  try {
    const problem =
      graph.kind === 'server' ? await findRemoteProblem(graph) : await load(graph, clock);
    if (problem !== undefined) return { status: 'problem', message: problem };
    return { status: 'ok', message: `The graph ${graphNameOf(graph)} is in place of a model.` };
  } catch (error) {
    const isServer = graph.kind === 'server';
    const message = isServer
      ? `GRAPH: the server does not answer: ${messageOf(error)}. Check its address, and that it runs.`
      : messageOf(error);
    return { status: 'problem', message };
  }
}

/** With a store of its own: a graph that is only looked at must leave nothing in the app's. */
async function load(
  graph: Extract<GraphConfig, { kind: 'module' }>,
  clock: Clock,
): Promise<undefined> {
  await withScratchFolder(async (dataDir) => {
    const store = createSqliteStore({ dataDir, clock });
    try {
      await loadGraph({ ...graph, name: graphNameOf(graph) }, { saver: store.graphSaver, clock });
    } finally {
      await store.close();
    }
  });
  return undefined;
}
