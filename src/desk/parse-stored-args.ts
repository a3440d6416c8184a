import type { Call } from '../domain/call.ts';
import { parseStrictJson } from '../domain/strict-json.ts';
import type { ParsedArgs, Tool } from '../domain/tool.ts';

/** Reads the stored arguments of a call as its tool reads them now. */
export function parseStoredArgs(call: Pick<Call, 'args'>, tool: Tool): ParsedArgs {
  const json = parseStrictJson(call.args);
  if (!json.ok) return { ok: false, problems: [{ path: [], message: json.reason }] };
  return tool.parse(json.value);
}
