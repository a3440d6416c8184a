import { depthOf, type ThreadKey } from '../threads/thread-key.ts';
import type { Toolbox } from './tool.ts';
import { buildToolbox } from './toolbox.ts';

/** An agent that works for another one, in its own thread. */
export interface Helper {
  /** Also shown to people on cards. */
  readonly name: string;
  /** For the delegating agent: what it is good at. */
  readonly description: string;
  /** Its system instructions. */
  readonly prompt: string;
  /** Names of its tools. Those not offered at the moment are left out. */
  readonly tools: readonly string[] | 'all';
}

/** A helper of a helper can't delegate further. */
const MAX_DEPTH = 2;

/** Returns the tools of a thread's agent or helper. An unknown helper has none. */
export function toolsOf(
  { toolbox, helpers }: { readonly toolbox: Toolbox; readonly helpers: readonly Helper[] },
  thread: ThreadKey,
  agent: string | undefined,
): Toolbox {
  if (agent === undefined) return toolbox;
  const has = helpers.find(({ name }) => name === agent)?.tools ?? [];
  const mayDelegate = depthOf(thread) < MAX_DEPTH;
  const isTheirs = (name: string) => has === 'all' || has.includes(name);
  const tools = toolbox
    .list()
    .filter(({ name }) => isTheirs(name))
    .filter(({ delegate }) => mayDelegate || delegate === undefined);
  const gone = (name: string) =>
    isTheirs(name) && !toolbox.get(name) ? toolbox.of({ tool: name }) : undefined;
  return buildToolbox(tools, toolbox.of, gone);
}
