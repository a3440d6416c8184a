import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { Clock } from '../../domain/ports/clock.ts';
import { importModule, withImportTimeout } from '../import-module.ts';
import type { ForeignGraph } from './foreign-graph.ts';
import { createLocalGraph, type LocalGraph } from './local-graph.ts';

/** The graph that GRAPH names can't be used; the message says why, and what to do. */
export class GraphSettingError extends Error {
  override readonly name = 'GraphSettingError';
}

/** Loads the graph that a module exports: a compiled one with a checkpointer of its own, or a function that is given ours; throws `GraphSettingError` when it can't be served. */
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
  return `GRAPH: ${path} exports no “${exported}”. It exports: ${names}. Write the right name behind the colon.`;
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
    const sentence = 'it made no graph within 30 s; does it wait for something?';
    return await withImportTimeout(factory(saver), sentence, clock);
  } catch (error) {
    throw new GraphSettingError(`${where}, a function, failed: ${describeLoadError(error)}`, {
      cause: error,
    });
  }
}

function toLocalGraph(where: string, made: unknown): LocalGraph {
  // What createAgent makes is an agent around its graph.
  const agent = hasKey(made, 'graph') && isGraph(made.graph) ? made : undefined;
  const graph = agent ? agent.graph : made;
  if (!isGraph(graph)) {
    throw new GraphSettingError(
      `${where} is no compiled graph. Export what compile() or createAgent() returns, or a function that takes a checkpointer and returns that.`,
    );
  }
  const saver: unknown = graph.checkpointer;
  if (!isDurable(saver)) throw new GraphSettingError(describeNotDurable(where, saver));
  if (!Object.hasOwn(graph.channels, 'messages')) {
    throw new GraphSettingError(
      `${where} has no “messages” in its state, where people’s messages go and its answers come from. Add them, for example by MessagesAnnotation.`,
    );
  }
  if (hasNodes(graph.interruptBefore) || hasNodes(graph.interruptAfter)) {
    throw new GraphSettingError(
      `${where} is compiled with interruptBefore or interruptAfter, which ask nothing that people could be shown. Call interrupt() in the node instead.`,
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

/** By its marks: it may come from another copy of the library. */
function isGraph(value: unknown): value is LocalGraph['graph'] {
  return hasKey(value, 'lg_is_pregel') && value.lg_is_pregel === true && hasKey(value, 'channels');
}

function isDurable(saver: unknown): saver is BaseCheckpointSaver {
  return hasKey(saver, 'getTuple') && !isMemory(saver);
}

/** By its name, for the same reason. */
function isMemory(saver: object): boolean {
  return ['MemorySaver', 'InMemorySaver'].includes(saver.constructor.name);
}

function describeNotDurable(where: string, saver: unknown): string {
  const has = hasKey(saver, 'getTuple') ? 'keeps its checkpoints in memory' : 'has no checkpointer';
  return `${where} ${has}, so a restart would lose what waits for people. Export a function that takes a checkpointer, (checkpointer) => ….compile({ checkpointer }) or createAgent({ …, checkpointer }), and it is given a durable one; or compile it with a durable one of your own.`;
}

function describeLoadError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
