/** Returns the tool unchanged and types its arguments by the schema. */
export function defineTool(tool) {
  return tool;
}
