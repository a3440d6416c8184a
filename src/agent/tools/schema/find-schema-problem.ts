/** What of a schema is not understood here, so that it would say less than is written in it. */

import type { JsonValue } from '../../../domain/json/json.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';
import { ANNOTATION_KEYWORDS, KEYWORDS, type KeywordShape, UNSUPPORTED } from './keywords.ts';
import { findNearMiss } from './near-miss.ts';
import { FORMAT_NAMES } from './validator/formats.ts';
import type { Patterns } from './validator/patterns.ts';
import { isList, isObject, type Schema } from './validator/validation-walk.ts';

/** Each unknown word is held against all that are known. */
const MAX_UNKNOWN = 250;
const KNOWN_NAMES = [...Object.keys(KEYWORDS), 'writeOnly'];
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const DRAFTS =
  /^https?:\/\/(?:json-schema\.org\/(?:schema|draft-0[4-7]\/schema|draft\/(?:2019-09|2020-12)\/schema)|spec\.openapis\.org\/oas\/3\.1\/dialect\/base)#?$/;

/** A schema that is to be looked at, and a JSON pointer to it. */
interface Place {
  readonly schema: JsonValue;
  readonly at: string;
}

/** What is needed to look at one. */
interface Look {
  readonly root: Schema;
  readonly patterns: Patterns;
  /** Words that were found to be no keywords. */
  readonly unknown: Set<string>;
  /** What stands in a schema with an `$id` of its own, against which references in it count. */
  readonly elsewhere: ReadonlySet<JsonValue>;
}

/** Finds the first thing in a schema that is not understood; says where it stands, and what to do. Undefined where all of it is. */
export function findSchemaProblem(root: Schema, patterns: Patterns): string | undefined {
  const look: Look = { root, patterns, unknown: new Set(), elsewhere: findElsewhere(root) };
  const looked = new Set<JsonValue>();
  const places: Place[] = [{ schema: root, at: '' }];
  // It grows meanwhile.
  for (const { at, schema } of places) {
    if (looked.has(schema)) continue;
    looked.add(schema);
    const problem = schemaProblem({ at, schema }, look);
    if (problem !== undefined) return problem;
    if (isObject(schema)) places.push(...placesIn(schema, at, root));
  }
  return undefined;
}

function schemaProblem({ at, schema }: Place, look: Look): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema))
    return `${describePlace(at)} has to be a schema: an object, or true or false`;
  for (const keyword of Object.keys(schema)) {
    const problem = keywordProblem(keyword, schema, look);
    if (problem !== undefined) return `${describePlace(`${at}/${toStep(keyword)}`)} ${problem}`;
  }
  return undefined;
}

function findElsewhere(root: Schema): ReadonlySet<JsonValue> {
  const found = new Set<JsonValue>();
  const waiting: JsonValue[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (value !== root && isObject(value) && isResource(value)) found.add(value);
    for (const inner of Object.values(value)) {
      if (found.has(value)) found.add(inner);
      waiting.push(inner);
    }
  }
  return found;
}

/** An anchor of drafts 6 and 7 is an `$id`, too. */
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

function keywordProblem(keyword: string, schema: Schema, look: Look): string | undefined {
  const { [keyword]: value = null } = schema;
  const remedy = Object.hasOwn(UNSUPPORTED, keyword) ? UNSUPPORTED[keyword] : undefined;
  if (remedy !== undefined) return `is not supported: ${remedy}`;
  const shape = shapeOf(keyword);
  if (shape === undefined) return misspellingOf(keyword, look.unknown);
  return SHAPES[shape](value, look) ?? SPECIAL[keyword]?.(value, schema, look);
}

/** What holds for one keyword alone. */
const SPECIAL: Readonly<
  Record<string, (value: JsonValue, schema: Schema, look: Look) => string | undefined>
> = {
  $schema: (value) => (DRAFTS.test(String(value)) ? undefined : UNKNOWN_DRAFT),
  $ref: (value, schema, { elsewhere }) =>
    elsewhere.has(schema) && String(value).startsWith('#')
      ? 'stands in a schema that has an “$id” of its own: leave that out'
      : undefined,
  format: formatProblem,
  nullable: (value, { type }) =>
    value === true && type === undefined ? 'needs a “type” beside it' : undefined,
  items: (value, { prefixItems }) =>
    isList(value) && prefixItems !== undefined
      ? 'has to be a schema where “prefixItems” stands beside it'
      : undefined,
};

function shapeOf(keyword: string): KeywordShape | undefined {
  if (Object.hasOwn(KEYWORDS, keyword)) return KEYWORDS[keyword];
  return Object.hasOwn(ANNOTATION_KEYWORDS, keyword) ? ANNOTATION_KEYWORDS[keyword] : undefined;
}

const UNKNOWN_DRAFT =
  'names a draft that is not known here: known are drafts 4, 6 and 7, 2019-09 and 2020-12 of json-schema.org';

/** Any other word is a note, as JSON Schema says. */
function misspellingOf(keyword: string, unknown: Set<string>): string | undefined {
  if (unknown.has(keyword)) return undefined;
  unknown.add(keyword);
  if (unknown.size > MAX_UNKNOWN) return 'is one of more than 250 keywords that are not known';
  const meant = findNearMiss(keyword, KNOWN_NAMES);
  return meant === undefined ? undefined : `is no keyword of JSON Schema: did you mean “${meant}”?`;
}

function formatProblem(value: JsonValue): string | undefined {
  if (FORMAT_NAMES.includes(String(value))) return undefined;
  const meant = findNearMiss(String(value), FORMAT_NAMES);
  return meant === undefined
    ? undefined
    : `names no format that is known: did you mean “${meant}”?`;
}

type ShapeCheck = (value: JsonValue, look: Look) => string | undefined;

/** Makes the check of a value that says what it has to be. */
function shaped(isRight: (value: JsonValue) => boolean, what: string): ShapeCheck {
  return (value) => (isRight(value) ? undefined : `has to be ${what}`);
}

const isTexts = (value: JsonValue) =>
  isList(value) && value.every((each) => typeof each === 'string');
const isType = (value: JsonValue) => TYPES.includes(String(value)) && typeof value === 'string';
const isCount = (value: JsonValue) => Number.isInteger(value) && Number(value) >= 0;

function referenceProblem(value: JsonValue, { root }: Look): string | undefined {
  if (typeof value !== 'string') return 'has to be a text';
  if (isObject(targetOf(root, value)) || typeof targetOf(root, value) === 'boolean')
    return undefined;
  return `refers to “${value.slice(0, LONGEST_PLACE)}”, which is no schema in it: schemas elsewhere are not read`;
}

function patternProblem(
  value: JsonValue,
  { patterns }: Pick<Look, 'patterns'>,
): string | undefined {
  if (typeof value !== 'string') return 'has to be a text';
  try {
    patterns.get(value);
    return undefined;
  } catch (error) {
    return `can’t be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function patternsProblem(value: JsonValue, look: Look): string | undefined {
  if (!isObject(value)) return 'has to be an object of schemas';
  const problems = Object.keys(value).map((source) => patternProblem(source, look));
  return problems.find((problem) => problem !== undefined);
}

const SHAPES: Readonly<Record<KeywordShape, ShapeCheck>> = {
  any: () => undefined,
  boolean: shaped((value) => typeof value === 'boolean', 'true or false'),
  count: shaped(isCount, 'a whole number, 0 or more'),
  list: shaped(isList, 'a list'),
  number: shaped(
    (value) => typeof value === 'number',
    'a number: true and false, as draft 4 had it, are not supported',
  ),
  pattern: patternProblem,
  positive: shaped((value) => typeof value === 'number' && value > 0, 'a number above 0'),
  reference: referenceProblem,
  requirements: shaped(
    (value) => isObject(value) && Object.values(value).every(isTexts),
    'an object of lists of names',
  ),
  text: shaped((value) => typeof value === 'string', 'a text'),
  texts: shaped(isTexts, 'a list of names'),
  type: shaped(
    (value) => isType(value) || (isList(value) && value.length > 0 && value.every(isType)),
    `one of ${TYPES.join(', ')}, or a list of them`,
  ),
  schema: () => undefined,
  schemas: shaped((value) => isList(value) && value.length > 0, 'a list of schemas'),
  items: () => undefined,
  named: shaped(isObject, 'an object of schemas'),
  patterned: patternsProblem,
  dependencies: shaped(
    (value) =>
      isObject(value) && Object.values(value).every((each) => !isList(each) || isTexts(each)),
    'an object of schemas, or of lists of names',
  ),
};

/** The schemas that a schema leads to. */
function placesIn(schema: Schema, at: string, root: Schema): readonly Place[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const here = `${at}/${toStep(keyword)}`;
    const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (shape === 'reference')
      return [{ schema: targetOf(root, String(value)) ?? true, at: String(value) }];
    return shape === undefined ? [] : innerOf(shape, value, here);
  });
}

function innerOf(shape: KeywordShape, value: JsonValue, at: string): readonly Place[] {
  const isMany = isList(value) && (shape === 'schemas' || shape === 'items');
  if (isMany) return value.map((schema, i) => ({ schema, at: `${at}/${i}` }));
  if (shape === 'schema' || shape === 'items') return [{ schema: value, at }];
  const isNamed = shape === 'named' || shape === 'patterned' || shape === 'dependencies';
  if (!isNamed || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, schema]) =>
    isList(schema) ? [] : [{ schema, at: `${at}/${toStep(name)}` }],
  );
}
