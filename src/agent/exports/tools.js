/** Returns the tool as it is; with it TypeScript knows the arguments by their schema. */
export function defineTool(tool) {
  return tool;
}
