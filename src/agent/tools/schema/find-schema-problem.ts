/** Finds parts of a schema that we don't understand and would silently ignore. */

import { innerSchemas } from '../../../domain/json/inner-schemas.ts';
import { isJsonObject, type JsonValue } from '../../../domain/json/json.ts';
import {
  ANNOTATION_KEYWORDS,
  KEYWORDS,
  type KeywordShape,
  UNSUPPORTED,
} from '../../../domain/json/schema-keywords.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';
import { findNearMiss } from './near-miss.ts';
import { FORMAT_NAMES } from './validator/formats.ts';
import type { Patterns } from './validator/patterns.ts';
import { isList, type Schema } from './validator/validation-walk.ts';

/** Each unknown keyword is compared with all known ones. */
const MAX_UNKNOWN = 250;
const KNOWN_NAMES = [...Object.keys(KEYWORDS), 'writeOnly'];
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const DRAFTS =
  /^https?:\/\/(?:json-schema\.org\/(?:schema|draft-0[4-7]\/schema|draft\/(?:2019-09|2020-12)\/schema)|spec\.openapis\.org\/oas\/3\.1\/dialect\/base)#?$/;

/** A schema to check, and a JSON pointer to it. */
interface Place {
  readonly schema: JsonValue;
  readonly at: string;
}

/** Context of a check. */
interface Context {
  readonly root: Schema;
  readonly patterns: Patterns;
  /** Unknown keywords found so far. */
  readonly unknown: Set<string>;
  /** Schemas below one with its own `$id`, which references in them are relative to. */
  readonly foreign: ReadonlySet<JsonValue>;
}

/**
 * Describes the first unsupported part of a schema: where it is and what to do. Undefined if there
 * is none.
 */
export function findSchemaProblem(root: Schema, patterns: Patterns): string | undefined {
  const context: Context = {
    root,
    patterns,
    unknown: new Set(),
    foreign: findForeignSchemas(root),
  };
  const checked = new Set<JsonValue>();
  const places: Place[] = [{ schema: root, at: '' }];
  // The list grows during the loop.
  for (const { at, schema } of places) {
    if (checked.has(schema)) continue;
    checked.add(schema);
    const problem = schemaProblem({ at, schema }, context);
    if (problem !== undefined) return problem;
    if (isJsonObject(schema)) places.push(...placesIn(schema, at, root));
  }
  return undefined;
}

function schemaProblem({ at, schema }: Place, context: Context): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema))
    return `${describePlace(at)} must be a schema: an object, or true or false`;
  for (const keyword of Object.keys(schema)) {
    const problem = keywordProblem(keyword, schema, context);
    if (problem !== undefined) return `${describePlace(`${at}/${toStep(keyword)}`)} ${problem}`;
  }
  return undefined;
}

function findForeignSchemas(root: Schema): ReadonlySet<JsonValue> {
  const found = new Set<JsonValue>();
  const waiting: JsonValue[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (value !== root && isJsonObject(value) && isResource(value)) found.add(value);
    for (const inner of Object.values(value)) {
      if (found.has(value)) found.add(inner);
      waiting.push(inner);
    }
  }
  return found;
}

/** In drafts 6 and 7 an `$id` with `#` is an anchor. */
function isResource({ $id }: Schema): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function toStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const LONGEST_PLACE = 200;

function describePlace(at: string): string {
  const text = at === '' ? '/' : at;
  return `“${text.length > LONGEST_PLACE ? `${text.slice(0, LONGEST_PLACE)}…` : text}”`;
}

function keywordProblem(keyword: string, schema: Schema, context: Context): string | undefined {
  const { [keyword]: value = null } = schema;
  const remedy = Object.hasOwn(UNSUPPORTED, keyword) ? UNSUPPORTED[keyword] : undefined;
  if (remedy !== undefined) return `is not supported: ${remedy}`;
  const shape = shapeOf(keyword);
  if (shape === undefined) return misspellingOf(keyword, context.unknown);
  return SHAPES[shape](value, context) ?? SPECIAL[keyword]?.(value, schema, context);
}

/** Additional checks for single keywords. */
const SPECIAL: Readonly<
  Record<string, (value: JsonValue, schema: Schema, context: Context) => string | undefined>
> = {
  $schema: (value) => (DRAFTS.test(String(value)) ? undefined : UNKNOWN_DRAFT),
  $ref: (value, schema, { foreign }) =>
    foreign.has(schema) && String(value).startsWith('#')
      ? 'is in a schema with its own “$id”: remove the “$id”'
      : undefined,
  format: formatProblem,
  nullable: (value, { type }) =>
    value === true && type === undefined ? 'needs a “type” in the same schema' : undefined,
  items: (value, { prefixItems }) =>
    isList(value) && prefixItems !== undefined
      ? 'must be a schema, not a list, if there are “prefixItems”'
      : undefined,
};

function shapeOf(keyword: string): KeywordShape | undefined {
  if (Object.hasOwn(KEYWORDS, keyword)) return KEYWORDS[keyword];
  return Object.hasOwn(ANNOTATION_KEYWORDS, keyword) ? ANNOTATION_KEYWORDS[keyword] : undefined;
}

const UNKNOWN_DRAFT =
  'names an unknown draft: supported are drafts 4, 6, 7, 2019-09 and 2020-12 of json-schema.org';

/** Refuses only likely misspellings: in JSON Schema, other unknown keywords are annotations. */
function misspellingOf(keyword: string, unknown: Set<string>): string | undefined {
  if (unknown.has(keyword)) return undefined;
  unknown.add(keyword);
  if (unknown.size > MAX_UNKNOWN) return 'is one of more than 250 unknown keywords';
  const known = findNearMiss(keyword, KNOWN_NAMES);
  return known === undefined
    ? undefined
    : `is not a keyword of JSON Schema: did you mean “${known}”?`;
}

function formatProblem(value: JsonValue): string | undefined {
  if (FORMAT_NAMES.includes(String(value))) return undefined;
  const known = findNearMiss(String(value), FORMAT_NAMES);
  return known === undefined ? undefined : `is an unknown format: did you mean “${known}”?`;
}

type ShapeCheck = (value: JsonValue, context: Context) => string | undefined;

/** Creates a check whose problem says what the value must be. */
function shaped(isRight: (value: JsonValue) => boolean, what: string): ShapeCheck {
  return (value) => (isRight(value) ? undefined : `must be ${what}`);
}

const isTexts = (value: JsonValue) =>
  isList(value) && value.every((each) => typeof each === 'string');
const isType = (value: JsonValue) => TYPES.includes(String(value)) && typeof value === 'string';
const isCount = (value: JsonValue) => Number.isInteger(value) && Number(value) >= 0;

function referenceProblem(value: JsonValue, { root }: Context): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (isJsonObject(targetOf(root, value)) || typeof targetOf(root, value) === 'boolean')
    return undefined;
  return `refers to “${value.slice(0, LONGEST_PLACE)}”, which is not a schema inside it: external schemas are not supported`;
}

function patternProblem(
  value: JsonValue,
  { patterns }: Pick<Context, 'patterns'>,
): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  try {
    patterns.get(value);
    return undefined;
  } catch (error) {
    return `can’t be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function patternsProblem(value: JsonValue, context: Context): string | undefined {
  if (!isJsonObject(value)) return 'must be an object of schemas';
  const problems = Object.keys(value).map((source) => patternProblem(source, context));
  return problems.find((problem) => problem !== undefined);
}

const SHAPES: Readonly<Record<KeywordShape, ShapeCheck>> = {
  any: () => undefined,
  boolean: shaped((value) => typeof value === 'boolean', 'true or false'),
  count: shaped(isCount, 'a whole number, 0 or more'),
  list: shaped(isList, 'a list'),
  number: shaped(
    (value) => typeof value === 'number',
    'a number: true and false, as in draft 4, are not supported',
  ),
  pattern: patternProblem,
  positive: shaped((value) => typeof value === 'number' && value > 0, 'a number above 0'),
  reference: referenceProblem,
  requirements: shaped(
    (value) => isJsonObject(value) && Object.values(value).every(isTexts),
    'an object of lists of names',
  ),
  text: shaped((value) => typeof value === 'string', 'a string'),
  texts: shaped(isTexts, 'a list of names'),
  type: shaped(
    (value) => isType(value) || (isList(value) && value.length > 0 && value.every(isType)),
    `one of ${TYPES.join(', ')}, or a list of them`,
  ),
  schema: () => undefined,
  schemas: shaped((value) => isList(value) && value.length > 0, 'a list of schemas'),
  items: () => undefined,
  named: shaped(isJsonObject, 'an object of schemas'),
  patterned: patternsProblem,
  dependencies: shaped(
    (value) =>
      isJsonObject(value) && Object.values(value).every((each) => !isList(each) || isTexts(each)),
    'an object of schemas, or of lists of names',
  ),
};

/** Returns the schemas inside a schema, and the one that it refers to. */
function placesIn(schema: Schema, at: string, root: Schema): readonly Place[] {
  const inner = innerSchemas(schema).map(({ schema: each, keyword, key }) => ({
    schema: each,
    at: [at, keyword, ...(key === undefined ? [] : [toStep(key)])].join('/'),
  }));
  const { $ref } = schema;
  if (typeof $ref !== 'string') return inner;
  return [{ schema: targetOf(root, $ref) ?? true, at: $ref }, ...inner];
}
