import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOf,
} from '../../../domain/json/json.ts';

/** Longer error bodies are HTML pages of a proxy. */
const MAX_BODY_CHARS = 64 * 1024;
const MAX_MESSAGE_CHARS = 2_000;

/** A model server refused a request, or ended an answer with an error. */
export class ModelServerError extends Error {
  override readonly name = 'ModelServerError';
  /** Status of the response, or the one named in the error. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly headers: Headers;

  constructor(facts: {
    readonly message: string;
    readonly status?: number | undefined;
    readonly code?: string | undefined;
    readonly type?: string | undefined;
    readonly headers?: Headers | undefined;
  }) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.type = facts.type;
    this.headers = facts.headers ?? new Headers();
  }
}

/** Reads the error from an unsuccessful response. */
export async function readServerError(response: Response): Promise<ModelServerError> {
  const text = (await response.text()).slice(0, MAX_BODY_CHARS);
  return toServerError(parseOrText(text), response);
}

/** Parses an error value in any of the shapes that servers use. */
export function toServerError(
  value: JsonValue | undefined,
  { status, headers, ok }: Pick<Response, 'status' | 'headers' | 'ok'>,
): ModelServerError {
  const error = innermost(value);
  const fields = isJsonObject(error) ? error : {};
  const named = statusIn(fields);
  return new ModelServerError({
    message: messageOf(error).slice(0, MAX_MESSAGE_CHARS),
    status: ok ? named : status,
    code: textOf(fields.code) ?? textOf(fields.status),
    type: textOf(fields.type),
    headers,
  });
}

/** Returns whether a value of an answer is an error. */
export function containsError(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(containsError);
  if (!isJsonObject(value)) return false;
  if (value.object === 'error' || value.type === 'error') return true;
  return value.error !== undefined && value.error !== null && value.error !== false;
}

/** `{error: {…}}`, `{error: "…"}`, `[{error: {…}}]`, or the error itself. */
function innermost(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return innermost(value[0]);
  if (!isJsonObject(value)) return value;
  const { error } = value;
  if (isJsonObject(error)) return error;
  return typeof error === 'string' ? { ...value, message: value.message ?? error } : value;
}

/** An error in a 200 response names its status as a number or a numeric string. */
function statusIn({ code, status, status_code: other }: JsonObject): number | undefined {
  const named = [code, status, other].map(Number).find((each) => each >= 400 && each < 600);
  return named !== undefined && Number.isInteger(named) ? named : undefined;
}

function messageOf(error: JsonValue | undefined): string {
  if (typeof error === 'string') return error;
  if (!isJsonObject(error)) return '';
  const { message, detail, msg, metadata } = error;
  // OpenRouter: the upstream server's message. https://openrouter.ai/docs/api-reference/errors
  const upstream = isJsonObject(metadata) ? textOf(metadata.raw) : undefined;
  const parts = [textOf(message) ?? textOf(msg) ?? detailOf(detail), upstream];
  return parts.filter((part) => part !== undefined).join(': ');
}

/** FastAPI's errors (vLLM and others use it). https://fastapi.tiangolo.com/tutorial/handling-errors/ */
function detailOf(detail: JsonValue | undefined): string | undefined {
  if (!Array.isArray(detail)) return isJsonObject(detail) ? messageOf(detail) : textOf(detail);
  return detail
    .map((each) => (isJsonObject(each) ? [...listOf(each.loc), each.msg].join(' ') : String(each)))
    .join('; ');
}

function parseOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // An HTML page is not an error message.
    return /^\s*<(?:!doctype|html)/i.test(text) ? '' : text.trim();
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
