import { setImmediate } from 'node:timers/promises';
import { type ListedTool, parseListedTool } from './parse-listed-tool.ts';

/** Reads what a server lists, tool by tool. */
export type ToolListReader = (listed: readonly unknown[]) => Promise<readonly ListedTool[]>;

/** Creates the reader of a server's lists: what stands there as in the list before is not read again, and nobody else waits for a long one. */
export function createToolListReader(server: string): ToolListReader {
  let before: ReadonlyMap<string, ListedTool> = new Map();
  return async (listed) => {
    const now = new Map<string, ListedTool>();
    const all: ListedTool[] = [];
    for (const each of listed) {
      const text = JSON.stringify(each);
      let tool = before.get(text) ?? now.get(text);
      if (!tool) {
        // A large schema takes some milliseconds.
        await setImmediate();
        tool = parseListedTool(server, each);
      }
      // What took too long may not the next time.
      if (tool.kind === 'tool') now.set(text, tool);
      all.push(tool);
    }
    before = now;
    return all;
  };
}
