/**
 * Arguments by a JSON Schema that others wrote: a program, a graph, an MCP server. Nothing is filled
 * in, converted or dropped, so what is read is what came. Patterns run in linear time, whatever they are.
 * https://json-schema.org/draft/2020-12 and draft-07.
 */
import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { canonicalJson, type JsonValue } from '../../domain/json.ts';
import { isWalkable } from '../../domain/schema-size.ts';
import { secretPathsOf } from '../../domain/secret-paths.ts';
import { parseStrictJson } from '../../domain/strict-json.ts';
import type { FieldProblem, ParsedArgs } from '../../domain/tool.ts';
import { createWatchdog } from '../../domain/watchdog.ts';

export interface JsonSchema {
  readonly [key: string]: JsonValue;
}

/** What a schema says of arguments, or why it can't be used. */
export type SchemaReading =
  | {
      readonly ok: true;
      readonly hash: string;
      /** Dotted paths of what it marks as secret. */
      readonly secrets: readonly string[];
      parse(value: JsonValue): ParsedArgs;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Whether it took too long, which may be different the next time. */
      readonly isLate?: boolean;
    };

/** In characters of its canonical JSON: whoever sends one must not keep us busy. */
const MAX_SCHEMA = 64_000;
const MAX_PROBLEMS = 20;
/** More allowed values are no sentence. */
const MAX_SAID = 20;
const KEPT = 200;

const kept = new Map<string, SchemaReading>();

/** Reads a schema; the same one again costs little. Never throws. */
export function readJsonSchema(schema: JsonSchema): SchemaReading {
  const text = textOf(schema);
  if (text === undefined) return { ok: false, reason: 'it holds half of a character' };
  if (text.length > MAX_SCHEMA) {
    return {
      ok: false,
      reason: `it has ${text.length} characters; at most ${MAX_SCHEMA} are read`,
    };
  }
  const hash = createHash('sha256').update(text).digest('hex');
  const known = kept.get(hash);
  const reading = known ?? compile(schema, hash);
  kept.delete(hash);
  if (reading.ok || !reading.isLate) kept.set(hash, reading);
  for (const [oldest] of kept) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return reading;
}

/** Undefined for what has no canonical text: a lone surrogate. */
function textOf(schema: JsonSchema): string | undefined {
  return /\\ud[89a-f]/.test(JSON.stringify(schema)) ? undefined : canonicalJson(schema);
}

function compile({ $schema, $id: _where, ...schema }: JsonSchema, hash: string): SchemaReading {
  try {
    const isOld = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
    if (!isWalkable(schema)) throw new Error('it is too intricate: its references fan out');
    const options = { ...OPTIONS, code: { regExp: createLinear() } };
    const ajv = isOld ? new Ajv(options) : new Ajv2020(options);
    formats.default(ajv);
    const validate = ajv.compile(schema);
    const secrets = within(() => secretPathsOf(schema));
    return { ok: true, hash, secrets, parse: (value) => parse(validate, value) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `it can't be read: ${why}`, isLate: error instanceof LateError };
  }
}

/** Steps of all patterns of a schema, written out: repetitions make much of a short text. */
const MAX_PATTERNS = 50_000;

/** Without the backtracking of the language's own patterns; what it lacks (looking around, references) is refused with the schema. */
function createLinear() {
  let size = 0;
  const linear = (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    size += compiled.programSize();
    if (size > MAX_PATTERNS) throw new Error('its patterns are too large together');
    // Told apart by its text: without it all patterns would be the first one.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  };
  return Object.assign(linear, { code: 'linear' });
}

const OPTIONS: Options = {
  // Others know keywords and formats that we do not.
  strict: false,
  validateFormats: true,
  allErrors: false,
  logger: false,
};

const watchdog = createWatchdog();
/** Reading a form's worth of arguments takes less than one, but a machine may stand still for some; nobody else is served meanwhile. */
const MAX_MS = 1_000;

/** Something took longer than it may. */
class LateError extends Error {
  override readonly name = 'LateError';
}

/** Does what might not end; throws in words for whoever wrote the schema. */
function within<Result>(work: () => Result): Result {
  try {
    return watchdog(work, MAX_MS) as Result;
  } catch (error) {
    throw isTimeout(error) ? new LateError(`it takes longer than ${MAX_MS} ms`) : error;
  }
}

/** It comes from another realm, and is no instance of our Error. */
function isTimeout(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function parse(validate: ValidateFunction, value: JsonValue): ParsedArgs {
  let isFit: boolean;
  try {
    isFit = within(() => validate(value));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      problems: [{ path: [], message: `can’t be checked by the schema: ${why}` }],
    };
  }
  if (!isFit) {
    const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(toProblem);
    return { ok: false, problems };
  }
  const canonical = canonicalJson(value);
  const strict = parseStrictJson(canonical);
  if (!strict.ok) return { ok: false, problems: [{ path: [], message: strict.reason }] };
  return { ok: true, value: strict.value, canonical };
}

function toProblem({ instancePath, keyword, message, params }: ErrorObject): FieldProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = params.missingProperty;
  if (keyword === 'required' && typeof missing === 'string') {
    return { path: [...path, missing], message: 'is missing' };
  }
  return { path, message: `${message ?? 'does not fit the schema'}${sayAllowed(params)}` };
}

function sayAllowed({ allowedValues, additionalProperty }: ErrorObject['params']): string {
  if (Array.isArray(allowedValues)) return `: ${sayValues(allowedValues)}`;
  return additionalProperty === undefined ? '' : ` (“${String(additionalProperty)}”)`;
}

/** As they are written, and of many the first ones. */
function sayValues(values: readonly unknown[]): string {
  const said = values
    .slice(0, MAX_SAID)
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return [...said, ...(values.length > MAX_SAID ? ['…'] : [])].join(', ');
}
