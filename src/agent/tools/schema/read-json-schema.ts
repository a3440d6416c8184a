/**
 * Parses arguments with a JSON Schema from a program, a graph or an MCP server. A schema with unsupported
 * parts is refused, with the part named. No defaults or conversions are applied. All work is on the
 * main thread, so it has a budget in steps.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../../domain/json/json.ts';
import { isWalkable } from '../../../domain/json/schema-size.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { secretPathsOf } from '../../../domain/secrets/secret-paths.ts';
import type { ParsedArgs } from '../../../domain/tools/tool.ts';
import { createNullRemover } from './drop-nulls.ts';
import { findSchemaProblem } from './find-schema-problem.ts';
import { createValidator, type Validator } from './validator/create-validator.ts';
import { createPatterns } from './validator/patterns.ts';
import { BudgetError } from './validator/step-budget.ts';

export interface JsonSchema {
  readonly [key: string]: JsonValue;
}

/** A usable schema, or the reason why it can't be used. */
export type JsonSchemaParseResult =
  | {
      readonly ok: true;
      readonly hash: string;
      /** Dotted paths of secret arguments. */
      readonly secrets: readonly string[];
      /** Parses arguments exactly as given. */
      parse(value: JsonValue): ParsedArgs;
      /**
       * Parses a model's arguments: null counts as absent for optional fields that do not allow
       * null.
       */
      parseOfModel(value: JsonValue): ParsedArgs;
    }
  | { readonly ok: false; readonly reason: string };

/** In characters of canonical JSON: a schema from outside must not block the process. */
const MAX_SCHEMA = 64_000;
const MAX_PROBLEMS = 20;
const KEPT = 200;

const kept = new Map<string, JsonSchemaParseResult>();

/** Reads a schema. Results are cached. Never throws. */
export function readJsonSchema(schema: JsonSchema): JsonSchemaParseResult {
  const text = textOf(schema);
  if (text === undefined)
    return { ok: false, reason: 'it contains an unpaired surrogate (half of a character)' };
  if (text.length > MAX_SCHEMA) {
    return {
      ok: false,
      reason: `it has ${text.length} characters; the maximum is ${MAX_SCHEMA}`,
    };
  }
  const hash = createHash('sha256').update(text).digest('hex');
  const reading = kept.get(hash) ?? readNew(schema, hash);
  kept.delete(hash);
  kept.set(hash, reading);
  for (const [oldest] of kept) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return reading;
}

/** Returns undefined if there is no canonical JSON because of an unpaired surrogate. */
function textOf(schema: JsonSchema): string | undefined {
  return /\\ud[89a-f]/.test(JSON.stringify(schema)) ? undefined : canonicalJson(schema);
}

function readNew(schema: JsonSchema, hash: string): JsonSchemaParseResult {
  const patterns = createPatterns();
  const problem = isWalkable(schema)
    ? findSchemaProblem(schema, patterns)
    : 'its references expand too much';
  if (problem !== undefined) return { ok: false, reason: problem };
  const validator = createValidator(schema, patterns);
  const dropNulls = createNullRemover(schema, patterns);
  return {
    ok: true,
    hash,
    secrets: secretPathsOf(schema),
    parse: (value) => parse(validator, value),
    parseOfModel: (value) => parse(validator, dropNulls(value)),
  };
}

function parse(validator: Validator, value: JsonValue): ParsedArgs {
  try {
    const problems = validator.problemsOf(value);
    if (problems.length > 0) return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return rejectArguments(`can’t be checked against the schema: ${error.message}`);
  }
  const canonical = canonicalJson(value);
  const strict = parseStrictJson(canonical);
  return strict.ok ? { ok: true, value: strict.value, canonical } : rejectArguments(strict.reason);
}

function rejectArguments(message: string): ParsedArgs {
  return { ok: false, problems: [{ path: [], message }] };
}
