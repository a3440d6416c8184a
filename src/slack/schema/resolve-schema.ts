/**
 * JSON Schema (drafts 7 and 2020-12) prepared for forms: references resolved, `allOf` merged,
 * variants listed. Nothing here throws: unsupported schemas become raw fields.
 */
import type { JsonValue } from '../../domain/json/json.ts';
import { targetOf } from '../../domain/json/schema-size.ts';

export type Schema = { readonly [key: string]: JsonValue };

/** Stands for an unsupported schema: any value, edited as JSON. */
export const RAW: Schema = { 'x-raw': true };

/** Returns an object unchanged; an empty one for anything else. */
export function asObject(value: JsonValue | undefined): Schema {
  return isObject(value) ? value : {};
}

/** Tells whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the items of a list; empty for anything else. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The state of reading a schema document, shared by one card or form. */
export interface Walk {
  readonly root: Schema;
  /** How many more schemas may be read. After that, every schema is treated as unsupported. */
  left: number;
}

/** Realistic forms need a few hundred. The limit stops recursive schemas, which have no end. */
const MAX_STEPS = 20_000;

/** Starts reading a document. */
export function createSchemaWalk(root: Schema): Walk {
  return { root, left: MAX_STEPS };
}

const MAX_HOPS = 16;

/** Resolves one schema: the result has no `$ref` and no `allOf`. */
export function resolveSchema(schema: JsonValue | undefined, walk: Walk, hops = 0): Schema {
  if (schema === undefined || schema === true) return {};
  walk.left -= 1;
  if (!isObject(schema) || hops > MAX_HOPS || walk.left < 0) return RAW;
  const { $ref, ...own } = schema;
  if ($ref !== undefined) {
    const target = typeof $ref === 'string' ? targetOf(walk.root, $ref) : undefined;
    if (target === undefined) return { ...own, ...RAW };
    return { ...resolveSchema(target, walk, hops + 1), ...own };
  }
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  return allOf
    .map((each) => resolveSchema(each, walk, hops + 1))
    .reduce<Schema>((one, other) => mergeSchemas(one, other, walk), rest);
}

/** Merging copies properties, so it counts against the limit. */
const KEYS_PER_STEP = 4;

/** Merges two schemas that both apply. If their keys conflict, the result is a raw field. */
function mergeSchemas(one: Schema, other: Schema, walk: Walk): Schema {
  walk.left -= Object.keys(asObject(one.properties)).length / KEYS_PER_STEP;
  if (walk.left < 0) return { ...one, ...RAW };
  const both = Object.keys(other).filter((key) => Object.hasOwn(one, key));
  const clash = both.some((key) => !MERGED_KEYS.has(key) && !isSame(one[key], other[key]));
  if (clash) return { ...one, ...RAW };
  const properties = { ...asObject(one.properties), ...asObject(other.properties) };
  const twice = Object.keys(asObject(other.properties)).some(
    (key) =>
      Object.hasOwn(asObject(one.properties), key) &&
      !isSame(asObject(one.properties)[key], asObject(other.properties)[key]),
  );
  if (twice) return { ...one, ...RAW };
  const required = [...new Set([...asList(one.required), ...asList(other.required)])];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

const MERGED_KEYS: ReadonlySet<string> = new Set([
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
]);

/** Tells whether two values are the same JSON, ignoring key order. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) => Object.hasOwn(other, key) && isSame((one as Schema)[key], (other as Schema)[key]),
  );
}

const MAX_VARIANTS = 60;

/**
 * Lists the schemas of which a value must match one, each without `anyOf`, `oneOf` and type lists.
 */
export function variantsOf(
  schema: JsonValue | undefined,
  walk: Walk,
  depth = 0,
): readonly Schema[] {
  const read = resolveSchema(schema, walk);
  const { anyOf, oneOf, nullable, ...rest } = read;
  const either = asList(anyOf ?? oneOf);
  if (nullable === true) return [...variantsOf(rest, walk, depth + 1), { type: 'null' }];
  if (anyOf !== undefined && oneOf !== undefined) return [{ ...rest, ...RAW }];
  if (either.length > 0 && !either.every((each) => onlyRequires(each, walk))) {
    if (depth > MAX_HOPS || either.length > MAX_VARIANTS) return [{ ...rest, ...RAW }];
    const { title: _title, description: _description, default: _default, ...shared } = rest;
    return either.flatMap((each) => {
      const branch = resolveSchema(each, walk);
      const bare = Object.keys(shared).length === 0;
      return variantsOf(bare ? branch : mergeSchemas(branch, shared, walk), walk, depth + 1);
    });
  }
  if (Array.isArray(rest.type)) {
    const types = rest.type.filter((type) => typeof type === 'string');
    return types.length === 0 ? [{ ...rest, ...RAW }] : types.map((type) => ({ ...rest, type }));
  }
  return [rest];
}

/** Tells whether a branch only constrains which properties are required, and is no variant. */
function onlyRequires(branch: JsonValue, walk: Walk): boolean {
  const keys = Object.keys(resolveSchema(branch, walk));
  return keys.length > 0 && keys.every((key) => key === 'required' || key === 'not');
}

/** Lists the property names of all variants. */
export function propertyNamesOf(root: Schema): readonly string[] {
  const names = variantsOf(root, createSchemaWalk(root)).flatMap(({ properties }) =>
    Object.keys(asObject(properties)),
  );
  return [...new Set(names)];
}

/** Lists the values of a schema with a finite set; undefined for others. */
export function valuesOf(schema: Schema): readonly JsonValue[] | undefined {
  if (schema['x-raw'] === true) return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema.const ?? null];
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum;
  if (schema.type === 'null') return [null];
  return schema.type === 'boolean' ? [true, false] : undefined;
}

/** Returns the JSON type of the values; undefined if the schema does not say. */
export function typeOf(schema: Schema): string | undefined {
  if (schema['x-raw'] === true) return undefined;
  if (typeof schema.type === 'string') return schema.type;
  if (isObject(schema.properties)) return 'object';
  return isObject(schema.items) || Array.isArray(schema.prefixItems) ? 'array' : undefined;
}

/** Tells whether a schema does not constrain its values. */
export function isUnconstrained(schema: Schema): boolean {
  return Object.keys(schema).every((key) => ANNOTATIONS.has(key));
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  '$schema',
  'examples',
]);

/** Infers a schema from a value. */
export function inferSchema(value: JsonValue): Schema {
  if (value === null) return RAW;
  if (Array.isArray(value)) return { type: 'array' };
  return { type: typeof value };
}
