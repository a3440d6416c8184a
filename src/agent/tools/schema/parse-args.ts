import { canonicalJson, type JsonValue } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { FieldProblem, ParsedArgs } from '../../../domain/tools/tool.ts';
import { describeZodIssues, type SchemaIssue } from './zod-issues.ts';

/** The part of a schema that zod 4 and zod 3 share. */
interface ReadingSchema {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/**
 * Parses arguments with a zod schema. Returns a copy that shares nothing with the input. Parsing it again
 * yields the same JSON, so what is shown, hashed and run is one value.
 */
export function parseArgs(schema: ReadingSchema, value: JsonValue): ParsedArgs {
  const first = readOnce(schema, value);
  if (!first.ok) return first;
  const second = readOnce(schema, first.value);
  if (!second.ok || second.canonical !== first.canonical) {
    return rejectArguments(
      "The tool's schema returns a different result when it parses these arguments again, so it is unclear what would run.",
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
    // The parsed arguments must respect the same limits as the input.
    const strict = parseStrictJson(canonical);
    return strict.ok
      ? { ok: true, canonical, value: strict.value }
      : rejectArguments(strict.reason);
  } catch (error) {
    if (error instanceof NotPlainError) {
      return { ok: false, problems: [{ path: error.path, message: error.message }] };
    }
    return rejectArguments(
      `The tool's schema could not parse the arguments: ${error instanceof Error ? error.message : String(error)}`,
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

/**
 * Throws for values that JSON would silently drop or change. Keys with undefined count as absent.
 */
function assertPlain(value: unknown, path: FieldProblem['path']): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') assertWellFormed(value, path);
  else if (typeof value === 'number') assertFinite(value, path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertPlain(item, [...path, index]);
  } else assertPlainObject(value, path);
}

function assertPlainObject(value: unknown, path: FieldProblem['path']): void {
  if (!isPlainObject(value)) {
    throw new NotPlainError('The value is not plain JSON after the schema has parsed it.', path);
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw new NotPlainError('The key "__proto__" is not allowed.', path);
    assertWellFormed(key, path);
    if (item !== undefined) assertPlain(item, [...path, key]);
  }
}

function assertFinite(value: number, path: FieldProblem['path']): void {
  if (!Number.isFinite(value))
    throw new NotPlainError(`${value} is not a valid JSON number.`, path);
}

function assertWellFormed(text: string, path: FieldProblem['path']): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new NotPlainError('The text contains an unpaired surrogate (half of a character).', path);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
