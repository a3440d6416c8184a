import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { Clock } from '../../domain/ports/clock.ts';
import { importModule, withImportTimeout } from '../import-module.ts';
import type { ForeignGraph } from './foreign-graph.ts';
import { createLocalGraph, type LocalGraph } from './local-graph.ts';

/** The graph in GRAPH can't be used. The message says why and what to do. */
export class GraphSettingError extends Error {
  override readonly name = 'GraphSettingError';
}

/**
 * Loads the graph that a module exports: a compiled graph with its own checkpointer, or a function that
 * gets ours. Rejects with `GraphSettingError` if it can't be used.
 */
export async function loadGraph(
  {
    name,
    path,
    exported,
  }: { readonly name: string; readonly path: string; readonly exported: string },
  { saver, clock }: { readonly saver: BaseCheckpointSaver; readonly clock: Clock },
): Promise<ForeignGraph> {
  const where = `GRAPH: ${path}:${exported}`;
  const module = await importModule(path, clock).catch((error: unknown) => {
    throw new GraphSettingError(`GRAPH: ${path} can’t be loaded: ${describeLoadError(error)}`, {
      cause: error,
    });
  });
  const found = module[exported];
  if (found === undefined) throw new GraphSettingError(describeMissing(path, exported, module));
  const made = isFactory(found) ? await make(where, found, { saver, clock }) : found;
  return createLocalGraph(name, toLocalGraph(where, made));
}

function describeMissing(path: string, exported: string, module: object): string {
  const names = Object.keys(module).join(', ') || 'nothing';
  return `GRAPH: ${path} exports no “${exported}”. It exports: ${names}. Write one of these names after the colon.`;
}

type Factory = (saver: BaseCheckpointSaver) => unknown;

function isFactory(value: unknown): value is Factory {
  return typeof value === 'function';
}

async function make(
  where: string,
  factory: Factory,
  { saver, clock }: { readonly saver: BaseCheckpointSaver; readonly clock: Clock },
): Promise<unknown> {
  try {
    const sentence = 'it did not return a graph within 30 s; check what it waits for';
    return await withImportTimeout(factory(saver), sentence, clock);
  } catch (error) {
    throw new GraphSettingError(`${where}, a function, failed: ${describeLoadError(error)}`, {
      cause: error,
    });
  }
}

function toLocalGraph(where: string, made: unknown): LocalGraph {
  // createAgent() returns an agent that wraps its graph.
  const agent = hasKey(made, 'graph') && isGraph(made.graph) ? made : undefined;
  const graph = agent ? agent.graph : made;
  if (!isGraph(graph)) {
    throw new GraphSettingError(
      `${where} is not a compiled graph. Export what compile() or createAgent() returns, or a function that takes a checkpointer and returns that.`,
    );
  }
  const saver: unknown = graph.checkpointer;
  if (!isDurable(saver)) throw new GraphSettingError(describeNotDurable(where, saver));
  if (!Object.hasOwn(graph.channels, 'messages')) {
    throw new GraphSettingError(
      `${where} has no “messages” in its state, which hold people’s messages and its answers. Add them, for example with MessagesAnnotation.`,
    );
  }
  if (hasNodes(graph.interruptBefore) || hasNodes(graph.interruptAfter)) {
    throw new GraphSettingError(
      `${where} is compiled with interruptBefore or interruptAfter, which have no question to show to people. Call interrupt() in the node instead.`,
    );
  }
  const streams = agent && hasKey(agent, 'stream') && isFactory(agent.stream) ? agent : graph;
  const stream = streams.stream as LocalGraph['stream'];
  return { graph, stream: stream.bind(streams) as LocalGraph['stream'], saver };
}

function hasNodes(nodes: unknown): boolean {
  return nodes === '*' || (Array.isArray(nodes) && nodes.length > 0);
}

function hasKey<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}

/** Checks properties, not the class: the graph may come from another copy of the library. */
function isGraph(value: unknown): value is LocalGraph['graph'] {
  return hasKey(value, 'lg_is_pregel') && value.lg_is_pregel === true && hasKey(value, 'channels');
}

function isDurable(saver: unknown): saver is BaseCheckpointSaver {
  return hasKey(saver, 'getTuple') && !isMemory(saver);
}

/** Checks the name for the same reason. */
function isMemory(saver: object): boolean {
  return ['MemorySaver', 'InMemorySaver'].includes(saver.constructor.name);
}

function describeNotDurable(where: string, saver: unknown): string {
  const has = hasKey(saver, 'getTuple') ? 'keeps its checkpoints in memory' : 'has no checkpointer';
  return `${where} ${has}, so a restart would lose pending approvals. Export a function that takes the app’s durable checkpointer: (checkpointer) => ….compile({ checkpointer }) or createAgent({ …, checkpointer }). Or compile it with your own durable one.`;
}

function describeLoadError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
