import { depthOf, type ThreadKey } from '../threads/thread-key.ts';
import type { Toolbox } from './tool.ts';
import { buildToolbox } from './toolbox.ts';

/** An agent that works for another one, in a thread of its own. */
export interface Helper {
  /** Also for people, on cards. */
  readonly name: string;
  /** For the agent that gives it work: what it is good for. */
  readonly description: string;
  /** Its standing instructions. */
  readonly prompt: string;
  /** The names of its tools; it has those of them that are offered. */
  readonly tools: readonly string[] | 'all';
}

/** A helper's helper has none of its own. */
const MAX_DEPTH = 2;

/** Returns the tools of a thread's agent, `agent` being the helper there; a helper that is no longer known has none. */
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
