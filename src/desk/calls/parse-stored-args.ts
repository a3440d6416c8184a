import type { Call } from '../../domain/calls/call.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import type { ParsedArgs, Tool } from '../../domain/tools/tool.ts';

/**
 * Parses a call's stored arguments with its tool's current schema. An MCP tool whose schema hash
 * changed is a different tool.
 */
export function parseStoredArgs(call: Pick<Call, 'args' | 'schemaHash'>, tool: Tool): ParsedArgs {
  const json = parseStrictJson(call.args);
  if (!json.ok) return rejectArguments(json.reason);
  if (tool.server !== undefined && tool.schemaHash !== call.schemaHash) {
    return rejectArguments('The tool has changed since the call was made.');
  }
  return tool.parse(json.value);
}

function rejectArguments(message: string): ParsedArgs {
  return { ok: false, problems: [{ path: [], message }] };
}
