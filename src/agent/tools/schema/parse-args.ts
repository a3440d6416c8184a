import { canonicalJson, type JsonValue } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { FieldProblem, ParsedArgs } from '../../../domain/tools/tool.ts';
import { describeZodIssues, type SchemaIssue } from './zod-issues.ts';

/** What is asked of a schema: zod 4 and zod 3 both have it. */
interface ReadingSchema {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/**
 * Reads arguments by a schema of zod. The result is a copy that shares nothing with the input, and
 * reading it once more gives the same text: what is shown, hashed and run is one value.
 */
export function parseArgs(schema: ReadingSchema, value: JsonValue): ParsedArgs {
  const first = readOnce(schema, value);
  if (!first.ok) return first;
  const second = readOnce(schema, first.value);
  if (!second.ok || second.canonical !== first.canonical) {
    return rejectArguments(
      "The tool's schema reads these arguments differently a second time, so it is not clear what would run.",
    );
  }
  return first;
}

function readOnce(schema: ReadingSchema, value: JsonValue): ParsedArgs {
  try {
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      return { ok: false, problems: describeZodIssues(parsed.error.issues, value) };
    assertPlain(parsed.data, []);
    const canonical = canonicalJson(parsed.data as JsonValue);
    // What the schema makes of arguments keeps to the same limits as what came in.
    const strict = parseStrictJson(canonical);
    return strict.ok
      ? { ok: true, canonical, value: strict.value }
      : rejectArguments(strict.reason);
  } catch (error) {
    if (error instanceof NotPlainError) {
      return { ok: false, problems: [{ path: error.path, message: error.message }] };
    }
    return rejectArguments(
      `The tool's schema could not read the arguments: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function rejectArguments(message: string): ParsedArgs {
  return { ok: false, problems: [{ path: [], message }] };
}

class NotPlainError extends Error {
  readonly path: FieldProblem['path'];

  constructor(message: string, path: FieldProblem['path']) {
    super(message);
    this.path = path;
  }
}

/** Throws for what JSON would drop or change in silence; keys without a value are as good as absent. */
function assertPlain(value: unknown, path: FieldProblem['path']): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') assertWhole(value, path);
  else if (typeof value === 'number') assertFinite(value, path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertPlain(item, [...path, index]);
  } else assertPlainObject(value, path);
}

function assertPlainObject(value: unknown, path: FieldProblem['path']): void {
  if (!isPlainObject(value)) {
    throw new NotPlainError('The value is not plain JSON after the schema has read it.', path);
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw new NotPlainError('The key "__proto__" is not allowed.', path);
    assertWhole(key, path);
    if (item !== undefined) assertPlain(item, [...path, key]);
  }
}

function assertFinite(value: number, path: FieldProblem['path']): void {
  if (!Number.isFinite(value)) throw new NotPlainError(`${value} is not a number of JSON.`, path);
}

function assertWhole(text: string, path: FieldProblem['path']): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new NotPlainError('The text holds half of a character (a lone surrogate).', path);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
