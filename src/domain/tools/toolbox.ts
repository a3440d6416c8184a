import type { Tool, Toolbox } from './tool.ts';

/**
 * Puts tools in a box; a function tells those of the moment, the same list as long as none has
 * changed. `ofOutside` makes the tool of a call from outside. (Default: there is none.) `gone` tells
 * what a tool was that is offered no more, so that calls of it can be shown.
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
