import type { JsonValue } from '../domain/json.ts';
import { AGENT_JSON, readAgentJson } from './agent-json.ts';
import { refuse } from './refuse.ts';

/** Code of a message that is not read: https://www.jsonrpc.org/specification#error_object */
export const PARSE_ERROR = -32_700;

/** Reads the message of a request as strictly as the API reads bodies, or answers why it is not read; a long one is not read to its end. */
export async function readMessage(
  request: Request,
): Promise<{ readonly parsedBody: JsonValue } | Response> {
  const bytes = await readBytes(request, AGENT_JSON.bytes);
  if (!bytes) return refuse(413, `A message has at most ${AGENT_JSON.bytes} bytes.`);
  const text = decode(bytes);
  if (text === undefined) return unread('it is not UTF-8.');
  const read = readAgentJson(text);
  if (read.ok) return { parsedBody: read.value };
  return unread(`${read.reason} (line ${read.line}, column ${read.column})`);
}

function unread(why: string): Response {
  const error = { code: PARSE_ERROR, message: `The message is not read: ${why}` };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
}

async function readBytes(request: Request, most: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
