import type { Logger } from 'pino';
import { type AgentDeps, createAgent } from '../agent/create-agent.ts';
import { createGraphAgent } from '../agent/graphs/create-graph-agent.ts';
import type { ForeignGraph } from '../agent/graphs/foreign-graph.ts';
import { GraphSettingError, loadGraph } from '../agent/graphs/load-graph.ts';
import { createRemoteGraph, findRemoteProblem } from '../agent/graphs/remote-graph.ts';
import type { ChatModel } from '../agent/model/create-chat-model.ts';
import { checkModel } from '../agent/model/probe/check-model.ts';
import { loadChatModel } from '../agent/model/providers/load-chat-model.ts';
import { DEFAULT_SYSTEM_PROMPT } from '../agent/turn/prompt.ts';
import type { SlackModeConfig } from '../config/config.ts';
import { type GraphConfig, graphNameOf } from '../config/graph-config.ts';
import type { Agent } from '../domain/ports/agent.ts';

const MODEL_TIMEOUT_MS = 60_000;
const MODEL_RETRIES = 2;

/** Opens the agent: the configured graph, or our own graph with the configured model. */
export async function openAgent(
  config: SlackModeConfig,
  deps: Pick<
    AgentDeps,
    | 'toolbox'
    | 'helpers'
    | 'history'
    | 'checkpoints'
    | 'clock'
    | 'readImage'
    | 'timezoneOf'
    | 'onDelta'
  > & {
    /** The checkpoint saver for a graph that is not ours. */
    readonly saver: Parameters<typeof loadGraph>[1]['saver'];
    readonly log: Logger;
    readonly onRelease: (release: () => Promise<void>) => void;
    readonly checksModel: boolean;
  },
): Promise<Agent> {
  const { graph, model } = config;
  if (graph) {
    const foreign = await openGraph(graph, deps);
    return createGraphAgent({ graph: foreign, log: deps.log, onDelta: deps.onDelta });
  }
  if (!model) throw new Error('There is neither a model nor a graph: set MODEL or GRAPH.');
  const { provider, name, ...access } = model;
  const chat = await loadChatModel({
    ...access,
    model: `${provider}/${name}`,
    timeoutMs: MODEL_TIMEOUT_MS,
    maxRetries: MODEL_RETRIES,
    allowsNoTools: config.allowsModelWithoutTools,
    log: deps.log,
  });
  if (deps.checksModel) await checkAtStart(chat, deps);
  return createAgent({
    ...deps,
    model: chat,
    adminUsers: config.talk.adminUsers,
    systemPrompt: config.systemPrompt ?? DEFAULT_SYSTEM_PROMPT,
    contextTokens: config.contextTokens,
  });
}

async function checkAtStart(
  chat: ChatModel,
  { clock, log, onRelease }: Pick<Parameters<typeof openAgent>[1], 'clock' | 'log' | 'onRelease'>,
): Promise<void> {
  const stop = new AbortController();
  onRelease(async () => stop.abort());
  await checkModel(chat, { clock, log, signal: stop.signal });
}

async function openGraph(
  graph: GraphConfig,
  deps: Pick<AgentDeps, 'clock'> & Pick<Parameters<typeof openAgent>[1], 'saver' | 'log'>,
): Promise<ForeignGraph> {
  if (graph.kind === 'module') {
    const { clock, saver } = deps;
    return await loadGraph({ ...graph, name: graphNameOf(graph) }, { saver, clock });
  }
  const problem = await findRemoteProblem(graph).catch((error: unknown) => {
    const sentence = 'The GRAPH server does not respond. Threads wait until it does.';
    deps.log.warn({ err: error }, sentence);
    return undefined;
  });
  if (problem !== undefined) throw new GraphSettingError(problem);
  return createRemoteGraph(graph);
}
