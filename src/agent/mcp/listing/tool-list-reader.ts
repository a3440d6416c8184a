import { setImmediate } from 'node:timers/promises';
import { type ListedTool, parseListedTool } from './parse-listed-tool.ts';

/** Parses a server's list of tools. */
export type ToolListReader = (listed: readonly unknown[]) => Promise<readonly ListedTool[]>;

/**
 * Creates the reader of a server's lists. Caches unchanged tools, and yields to the event loop
 * during long lists.
 */
export function createToolListReader(server: string): ToolListReader {
  let before: ReadonlyMap<string, ListedTool> = new Map();
  return async (listed) => {
    const now = new Map<string, ListedTool>();
    const all: ListedTool[] = [];
    for (const each of listed) {
      const text = JSON.stringify(each);
      let tool = before.get(text) ?? now.get(text);
      if (!tool) {
        // A large schema takes a few milliseconds.
        await setImmediate();
        tool = parseListedTool(server, each);
      }
      // Don't cache a left-out tool: the reason may be temporary.
      if (tool.kind === 'tool') now.set(text, tool);
      all.push(tool);
    }
    before = now;
    return all;
  };
}
