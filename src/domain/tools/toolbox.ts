import type { Tool, Toolbox } from './tool.ts';

/**
 * Builds a toolbox from fixed tools, or from a function that returns the same list while nothing
 * has changed. `ofOutside` makes the tool of an external call (default: none). `gone` describes
 * tools that are no longer offered, so that their calls can be shown.
 */
export function buildToolbox(
  tools: Iterable<Tool> | (() => readonly Tool[]),
  ofOutside: Toolbox['of'] = () => undefined,
  gone: Toolbox['get'] = () => undefined,
): Toolbox {
  const fixed = typeof tools === 'function' ? undefined : [...tools];
  const listNow = typeof tools === 'function' ? tools : () => fixed ?? [];
  let known: readonly Tool[] | undefined;
  let byName: ReadonlyMap<string, Tool> = new Map();

  function get(name: string): Tool | undefined {
    const list = listNow();
    if (list !== known) {
      known = list;
      byName = new Map(list.map((tool) => [tool.name, tool]));
    }
    return byName.get(name);
  }

  return {
    get,
    of: (call) => (call.outside ? ofOutside(call) : (get(call.tool) ?? gone(call.tool))),
    list: listNow,
  };
}
