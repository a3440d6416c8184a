/** Checks the model, or the graph that replaces it. */

import { loadGraph } from '../../agent/graphs/load-graph.ts';
import { findRemoteProblem } from '../../agent/graphs/remote-graph.ts';
import { describeProbe } from '../../agent/model/probe/describe-probe.ts';
import { probeModel } from '../../agent/model/probe/probe-model.ts';
import { loadChatModel } from '../../agent/model/providers/load-chat-model.ts';
import { type GraphConfig, graphNameOf } from '../../config/graph-config.ts';
import type { ModelConfig } from '../../config/model-config.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { type Finding, messageOf } from './finding.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

const TIMEOUT_MS = 60_000;
const STATUSES = {
  works: 'ok',
  'no call': 'warning',
  refused: 'problem',
  failed: 'problem',
} as const;

/** Sends the model one small request with one tool, as the app does at its start. */
export async function checkModel(
  { name, provider, ...access }: ModelConfig,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  const called = `${provider}/${name}`;
  const model = await loadChatModel({
    ...access,
    model: called,
    timeoutMs: TIMEOUT_MS,
    maxRetries: 0,
  }).catch((error: unknown) => messageOf(error));
  if (typeof model === 'string') return { status: 'problem', message: model };
  const probe = await probeModel(model, { clock, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { kind, sentence } = describeProbe(model, probe);
  return { status: STATUSES[kind], message: `${called}: ${sentence}` };
}

/** Loads the graph, or looks it up on its server. */
export async function checkGraph(
  graph: GraphConfig,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  try {
    const problem =
      graph.kind === 'server' ? await findRemoteProblem(graph) : await load(graph, clock);
    if (problem !== undefined) return { status: 'problem', message: problem };
    return { status: 'ok', message: `The graph ${graphNameOf(graph)} is used instead of a model.` };
  } catch (error) {
    const isServer = graph.kind === 'server';
    const message = isServer
      ? `GRAPH: the server does not answer: ${messageOf(error)}. Check its address, and that it runs.`
      : messageOf(error);
    return { status: 'problem', message };
  }
}

/** Uses a temporary store, so that the check leaves nothing in the app's. */
async function load(
  graph: Extract<GraphConfig, { kind: 'module' }>,
  clock: Clock,
): Promise<undefined> {
  await withTemporaryFolder(async (dataDir) => {
    const store = createSqliteStore({ dataDir, clock });
    try {
      await loadGraph({ ...graph, name: graphNameOf(graph) }, { saver: store.saver, clock });
    } finally {
      await store.close();
    }
  });
  return undefined;
}
