import { isJson, type Json, parseJson } from '../json-value.ts';

/** Arguments that are JSON text inside a form body. */
const JSON_ARGUMENTS = new Set([
  'attachments',
  'blocks',
  'chunks',
  'files',
  'loading_messages',
  'message',
  'metadata',
  'prompts',
  'view',
]);

/** Decodes the arguments of a call from a JSON or form body, and from the query. */
export function decodeCall(contentType: string, body: string, query: URLSearchParams): Json {
  const fromQuery = decodeForm(query);
  if (contentType.includes('application/json')) {
    const parsed = parseJson(body);
    return { ...fromQuery, ...(isJson(parsed) ? parsed : {}) };
  }
  return { ...fromQuery, ...decodeForm(new URLSearchParams(body)) };
}

function decodeForm(form: URLSearchParams): Json {
  return Object.fromEntries(
    [...form].map(([key, value]) => [
      key,
      // Invalid JSON stays text, so that the method can report the argument.
      JSON_ARGUMENTS.has(key) ? (parseJson(value) ?? value) : value,
    ]),
  );
}
