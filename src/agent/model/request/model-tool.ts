/** Tools in the form that providers accept: a reduced schema with a plain object at the top. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOf,
} from '../../../domain/json/json.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { reduceSchema } from './reduce-schema.ts';

/** A tool as offered to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A schema of type `object` without alternatives at the top; those are in the description. */
  readonly schema: Schema;
}

type Schema = JsonObject;

/** At the top of a schema, providers refuse these or silently drop the tool. */
const REFUSED = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'] as const;

/**
 * Converts a tool. Alternatives are merged: all properties, and those required by every
 * alternative.
 */
export function toModelTool({ name, description, schema }: Tool): ModelTool {
  if (!REFUSED.some((key) => Object.hasOwn(schema, key))) {
    return { name, description, schema: toOffered({ ...schema, type: 'object' }, schema) };
  }
  const { properties, required } = flatten(schema, schema, []);
  return {
    name,
    description: `${description}\nIts arguments must also fit this JSON Schema: ${JSON.stringify(schema)}`,
    schema: toOffered({ type: 'object', properties, required }, schema),
  };
}

/** Many servers require `properties`, even if it is empty. */
function toOffered(schema: Schema, root: Schema): Schema {
  return { properties: {}, ...reduceSchema(schema, root) };
}

interface Flat {
  readonly properties: Schema;
  readonly required: readonly JsonValue[];
}

/** Skips circular references: they add nothing. */
function flatten(schema: JsonValue | undefined, root: Schema, refs: readonly string[]): Flat {
  if (!isJsonObject(schema)) return { properties: {}, required: [] };
  const below = (each: JsonValue | undefined) => flatten(each, root, refs);
  const { properties, required } = schema;
  const own: Flat = {
    properties: isJsonObject(properties) ? properties : {},
    required: listOf(required),
  };
  const { $ref } = schema;
  const isNew = typeof $ref === 'string' && !refs.includes($ref);
  const referred = isNew ? [flatten(targetOf(root, $ref), root, [...refs, $ref])] : [];
  const combined = [own, ...referred, ...listOf(schema.allOf).map(below)];
  // Arguments are always an object.
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
    .filter(mayBeObject)
    .map(below);
  const [first, ...others] = alternatives.map((alternative) => alternative.required);
  const requiredByAll = (first ?? []).filter((key) => others.every((keys) => keys.includes(key)));
  const needed = [...combined.flatMap((each) => each.required), ...requiredByAll];
  return {
    properties: joinProperties([...combined, ...alternatives].map((each) => each.properties)),
    required: [...new Set(needed)],
  };
}

/** A property that differs between alternatives becomes an `anyOf`. */
function joinProperties(all: readonly Schema[]): Schema {
  const joined = new Map<string, Map<string, JsonValue>>();
  for (const [key, each] of all.flatMap((properties) => Object.entries(properties))) {
    const schemas = joined.get(key) ?? new Map<string, JsonValue>();
    joined.set(key, schemas.set(JSON.stringify(each), each));
  }
  return Object.fromEntries(
    [...joined].map(([key, schemas]) => {
      const [only, ...more] = schemas.values();
      return [key, more.length === 0 ? (only ?? {}) : { anyOf: [...schemas.values()] }];
    }),
  );
}

function mayBeObject(schema: JsonValue): boolean {
  const type = isJsonObject(schema) ? schema.type : undefined;
  return type === undefined || type === 'object' || listOf(type).includes('object');
}
