import type { Tool, Toolbox } from './tool.ts';

/** Puts tools in a box; `ofOutside` makes the tool of a call from outside. (Default: there is none.) */
export function createBox(
  tools: Iterable<Tool>,
  ofOutside: Toolbox['of'] = () => undefined,
): Toolbox {
  const list = [...tools];
  const byName = new Map(list.map((tool) => [tool.name, tool]));
  return {
    get: (name) => byName.get(name),
    of: (call) => (call.outside ? ofOutside(call) : byName.get(call.tool)),
    list: () => list,
  };
}
