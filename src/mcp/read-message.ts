import type { JsonValue } from '../domain/json/json.ts';
import { readTextBody } from '../net/read-text-body.ts';
import { refuseMcpRequest } from './problem-response.ts';
import { AGENT_JSON_LIMITS, parseAgentJson } from './strict-json-limits.ts';

/** Code of a message that can't be parsed: https://www.jsonrpc.org/specification#error_object */
export const PARSE_ERROR = -32_700;

/** Reads a message as strictly as the API reads bodies. Returns an error response if that fails; stops reading once it is too long. */
export async function readMessage(
  request: Request,
): Promise<{ readonly parsedBody: JsonValue } | Response> {
  const body = await readTextBody(request, AGENT_JSON_LIMITS.bytes);
  if (body.kind === 'too-long') {
    return refuseMcpRequest(413, `A message has at most ${AGENT_JSON_LIMITS.bytes} bytes.`);
  }
  if (body.kind === 'broken-off') return unread('it is incomplete.');
  if (body.kind === 'not-utf8') return unread('it is not UTF-8.');
  const read = parseAgentJson(body.text);
  if (read.ok) return { parsedBody: read.value };
  return unread(`${read.reason} (line ${read.line}, column ${read.column})`);
}

function unread(why: string): Response {
  const error = { code: PARSE_ERROR, message: `The message can’t be read: ${why}` };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
}
