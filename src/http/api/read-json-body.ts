import type { JsonValue } from '../../domain/json.ts';
import { parseStrictJson } from '../../domain/strict-json.ts';

/** A body as it was read, or why it is refused. */
export type ReadJsonBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly why: string };

const MAX_BYTES = 256 * 1_024;
const MAX_KEYS = 1_000;

/** Reads the body of a request strictly; a long one is not read to its end. */
export async function readJsonBody(request: Request): Promise<ReadJsonBody> {
  const bytes = await readBytes(request);
  if (bytes === 'too-large') return refused(413, 'The body is longer than 256 KB.');
  if (bytes === 'broken-off') return refused(400, 'The body did not arrive whole.');
  if (bytes.length === 0) return { kind: 'none' };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i.test(type)) {
    return refused(415, 'The body has to be JSON: send content-type: application/json.');
  }
  const text = decode(bytes);
  if (text === undefined) return refused(400, 'The body is not UTF-8.');
  const read = parseStrictJson(text);
  if (!read.ok) {
    const { column, line, reason } = read;
    return refused(400, `The body is not read: ${reason} (line ${line}, column ${column})`);
  }
  if (countKeys(read.value) > MAX_KEYS) {
    return refused(400, `The body has more than ${MAX_KEYS} keys.`);
  }
  return { kind: 'json', value: read.value };
}

function refused(status: 400 | 413 | 415, why: string): ReadJsonBody {
  return { kind: 'refused', status, why };
}

async function readBytes(request: Request): Promise<Uint8Array | 'too-large' | 'broken-off'> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return 'too-large';
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > MAX_BYTES) return 'too-large';
      chunks.push(value);
    }
  } catch (error) {
    // The sender has gone: nobody hears the answer.
    if (!request.signal.aborted) throw error;
    return 'broken-off';
  } finally {
    reader.releaseLock();
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value) as readonly JsonValue[];
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + countKeys(each), own);
}
