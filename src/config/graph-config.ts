/** Settings of a graph that replaces our own. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** The configured graph: a module in this process, or an assistant on a LangGraph server. */
export type GraphConfig =
  | { readonly kind: 'module'; readonly path: string; readonly exported: string }
  | {
      readonly kind: 'server';
      readonly url: string;
      readonly assistant: string;
      readonly apiKey?: string;
    };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the graph's name for people and policy rules: the assistant, or the file name without its
 * extension.
 */
export function graphNameOf(graph: GraphConfig): string;
export function graphNameOf(graph: GraphConfig | undefined): string | undefined;
export function graphNameOf(graph: GraphConfig | undefined): string | undefined {
  if (!graph) return undefined;
  if (graph.kind === 'server') return graph.assistant;
  return basename(graph.path).replace(/\.[^.]*$/, '');
}

const isAddress = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** Reads the location of the graph. Returns undefined if none is set or the value is invalid. */
export function readGraphConfig({
  GRAPH,
  GRAPH_API_KEY: apiKey,
}: Environment): GraphConfig | undefined {
  if (!GRAPH) return undefined;
  if (isAddress(GRAPH)) {
    if (!URL.canParse(GRAPH)) return undefined;
    const url = new URL(GRAPH);
    const assistant = assistantOf(url);
    if (assistant === undefined) return undefined;
    url.hash = '';
    return {
      kind: 'server',
      url: url.href.replace(/\/+$/, ''),
      assistant,
      ...(apiKey && { apiKey }),
    };
  }
  const [, path = '', exported = ''] = /^(.+):([^:\\/]+)$/.exec(GRAPH) ?? [];
  return { kind: 'module', path: resolve(path), exported };
}

/** Undefined if the percent-encoding is invalid. */
function assistantOf({ hash }: URL): string | undefined {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return undefined;
  }
}

/** Lists the problems of the GRAPH setting. */
export function graphProblems(
  env: Environment,
  exists: (path: string) => boolean = existsSync,
): readonly string[] {
  const { GRAPH } = env;
  if (!GRAPH) return [];
  return isAddress(GRAPH) ? addressProblems(GRAPH) : moduleProblems(GRAPH, exists);
}

function addressProblems(graph: string): readonly string[] {
  const example = 'Write it like https://my-graphs.example.com#agent.';
  if (!URL.canParse(graph) || !/^https?:$/.test(new URL(graph).protocol)) {
    return [`GRAPH is not an http(s) address of a LangGraph server. ${example}`];
  }
  const url = new URL(graph);
  const { username, password } = url;
  if (username || password) {
    return ['GRAPH holds a user name or a password, which logs would show. Use GRAPH_API_KEY.'];
  }
  if (url.search !== '' || /[\s\\]/.test(graph)) {
    return [`GRAPH has a query, a space or a “\\” in its address, which would be lost. ${example}`];
  }
  const assistant = assistantOf(url);
  if (assistant === undefined) {
    return [`GRAPH has an invalid % after the #. Write %25 for a literal %. ${example}`];
  }
  if (assistant.trim() !== '') return [];
  return [`GRAPH names no assistant. Add # and its name or id after the address. ${example}`];
}

function moduleProblems(graph: string, exists: (path: string) => boolean): readonly string[] {
  const match = /^(.+):([^:\\/]+)$/.exec(graph);
  if (!match) {
    return [
      'GRAPH must name a module and its export, like ./my-graph.ts:graph, or a LangGraph server and its assistant, like https://my-graphs.example.com#agent.',
    ];
  }
  const path = resolve(match[1] ?? '');
  if (exists(path)) return [];
  return [
    `GRAPH ${graph}: there is no file ${path}. Name the module that exports the graph, relative to the folder in which the app starts.`,
  ];
}

/** Lists settings without effect while GRAPH is set, because a graph brings its model and tools. */
export function graphWarnings(env: Environment): readonly string[] {
  if (!env.GRAPH) {
    return env.GRAPH_API_KEY ? ['GRAPH_API_KEY has no effect without GRAPH.'] : [];
  }
  const warnings = UNUSED_WITH_GRAPH.filter((name) => env[name]).map(
    (name) => `${name} has no effect while GRAPH is set: the graph brings its own.`,
  );
  if (env.GRAPH_API_KEY && !isAddress(env.GRAPH)) {
    warnings.push('GRAPH_API_KEY has no effect while GRAPH names a module.');
  }
  return warnings;
}

const UNUSED_WITH_GRAPH = [
  'MODEL',
  'SYSTEM_PROMPT',
  'CONTEXT_TOKENS',
  'TOOLS_MODULE',
  'SHOW_USAGE',
] as const;
