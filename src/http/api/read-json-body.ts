import type { JsonValue } from '../../domain/json/json.ts';
import { parseStrictJson, SCHEMA_LIMITS } from '../../domain/json/strict-json.ts';
import { readTextBody } from '../../net/read-text-body.ts';

/** The parsed body, or why it is refused. */
export type ReadJsonBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly why: string };

const MAX_BYTES = 256 * 1_024;
const MAX_KEYS = 1_000;
const MAX_NAMED = 40;

/** Reads and strictly parses a request's JSON body. Stops reading once it is too long. */
export async function readJsonBody(request: Request): Promise<ReadJsonBody> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    const why = `The content-encoding “${encoding.slice(0, MAX_NAMED)}” is not supported. Send the body without an encoding.`;
    return refused(415, why);
  }
  const body = await readTextBody(request, MAX_BYTES);
  if (body.kind === 'too-long') return refused(413, 'The body is longer than 256 KB.');
  if (body.kind === 'broken-off') return refused(400, 'The body is incomplete.');
  if (body.kind === 'text' && body.text === '') return { kind: 'none' };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(?:\s*;\s*charset=(?:"utf-?8"|utf-?8))?\s*$/i.test(type)) {
    return refused(415, 'The body must be JSON: send content-type: application/json.');
  }
  if (body.kind === 'not-utf8') return refused(400, 'The body is not UTF-8.');
  const read = parseStrictJson(body.text, SCHEMA_LIMITS);
  if (!read.ok) {
    const { column, line, reason } = read;
    return refused(400, `The body can’t be read: ${reason} (line ${line}, column ${column})`);
  }
  if (countKeys(read.value) > MAX_KEYS) {
    return refused(400, `The body has more than ${MAX_KEYS} keys.`);
  }
  return { kind: 'json', value: read.value };
}

function refused(status: 400 | 413 | 415, why: string): ReadJsonBody {
  return { kind: 'refused', status, why };
}

function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value) as readonly JsonValue[];
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + countKeys(each), own);
}
