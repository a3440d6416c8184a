/** What the environment says about a graph that others made. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** The agent behind the threads, where it is a graph of others: in this process, or on a LangGraph server. */
export type GraphConfig =
  | { readonly kind: 'module'; readonly path: string; readonly exported: string }
  | {
      readonly kind: 'server';
      readonly url: string;
      readonly assistant: string;
      readonly apiKey?: string;
    };

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of a graph for people, and for rules of the policy: the assistant's, or its file's without the ending. */
export function graphNameOf(graph: GraphConfig): string;
export function graphNameOf(graph: GraphConfig | undefined): string | undefined;
export function graphNameOf(graph: GraphConfig | undefined): string | undefined {
  if (!graph) return undefined;
  if (graph.kind === 'server') return graph.assistant;
  return basename(graph.path).replace(/\.[^.]*$/, '');
}

const isAddress = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** Reads where the graph is; undefined when none is named, or its value is a problem. */
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

/** Undefined where a % in it begins no character. */
function assistantOf({ hash }: URL): string | undefined {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return undefined;
  }
}

/** Says what is wrong with the setting of the graph. */
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
    return [
      `GRAPH has a query, a blank or a “\\” in its address, which would get lost. ${example}`,
    ];
  }
  const assistant = assistantOf(url);
  if (assistant === undefined) {
    return [`GRAPH: a % behind the # begins no character; write %25 for a % itself. ${example}`];
  }
  if (assistant.trim() !== '') return [];
  return [`GRAPH names no assistant: add # and its name or id behind the address. ${example}`];
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
    `GRAPH ${graph}: there is no file ${path}. Name the module that exports the graph, from the folder in which the app is started.`,
  ];
}

/** Says which settings have no effect beside a graph, which brings its model and its tools. */
export function graphWarnings(env: Environment): readonly string[] {
  if (!env.GRAPH) {
    return env.GRAPH_API_KEY ? ['GRAPH_API_KEY has no effect without GRAPH.'] : [];
  }
  const warnings = IDLE.filter((name) => env[name]).map(
    (name) => `${name} has no effect while GRAPH is set: the graph brings its own.`,
  );
  if (env.GRAPH_API_KEY && !isAddress(env.GRAPH)) {
    warnings.push('GRAPH_API_KEY has no effect while GRAPH names a module.');
  }
  return warnings;
}

const IDLE = ['MODEL', 'SYSTEM_PROMPT', 'CONTEXT_TOKENS', 'TOOLS_MODULE', 'SHOW_USAGE'] as const;
