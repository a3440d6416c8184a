/**
 * Converts a tool's zod 4 or zod 3 schema to JSON Schema, or explains why JSON can't carry its
 * values.
 */
import { z } from 'zod';
import type { z as z3 } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOf,
} from '../../../domain/json/json.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';
import { findZod3Limits } from './zod3-limits.ts';

type SchemaReading =
  | { readonly ok: true; readonly json: JsonObject }
  | { readonly ok: false; readonly reason: string };

/** Converts the input side of a schema. Never throws. */
export function readZodSchema(schema: z.ZodType | z3.ZodTypeAny): SchemaReading {
  const unfit = new Set<string>();
  let json: unknown;
  try {
    if ('_zod' in schema) json = readZod4(schema, unfit);
    else if ('typeName' in schema._def) json = readZod3(schema, unfit);
    else return { ok: false, reason: 'its schema was not made with zod 4 or zod 3' };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  if (unfit.size > 0) {
    return {
      ok: false,
      reason: `its schema has ${[...unfit].join(' and ')}, which can't be converted to JSON and back`,
    };
  }
  const { $schema, ...rest } = json as JsonObject;
  if (!mayBeObject(rest, rest, 0))
    return {
      ok: false,
      reason: 'its schema accepts no object, but arguments are always an object',
    };
  return { ok: true, json: rest };
}

const MAX_DEPTH = 16;

/** Returns whether an object may match the schema or one of its alternatives. */
function mayBeObject(schema: JsonValue | undefined, root: Schema, depth: number): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return true;
  const { type, $ref, anyOf, oneOf, allOf } = schema;
  const fits = (each: JsonValue) => mayBeObject(each, root, depth + 1);
  if (type !== undefined) return type === 'object' || listOf(type).includes('object');
  if (typeof $ref === 'string') return fits($ref === '#' ? true : (targetOf(root, $ref) ?? true));
  if (listOf(allOf).some((each) => !fits(each))) return false;
  const either = [...listOf(anyOf), ...listOf(oneOf)];
  if (either.length > 0) return either.some(fits);
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : listOf(schema.enum);
  return values.length === 0 || values.some(isJsonObject);
}

type Schema = JsonObject;

function readZod4(schema: z.ZodType, unfit: Set<string>): unknown {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema }) => {
      if (changesValues(zodSchema._zod.def)) unfit.add('transforms');
      if (zodSchema._zod.def.type === 'file') unfit.add('files');
    },
  });
}

/** Returns whether a zod 4 schema may change values: `transform`, `preprocess`, codecs. */
function changesValues(def: z.core.$ZodTypeDef): boolean {
  if (def.type === 'transform') return true;
  if (def.type !== 'pipe') return false;
  const pipe = def as z.core.$ZodPipeDef;
  if (pipe.transform !== undefined || pipe.reverseTransform !== undefined) return true;
  return [pipe.in, pipe.out].some((side) => side._zod.def.type === 'transform');
}

function readZod3(schema: z3.ZodTypeAny, unfit: Set<string>): unknown {
  for (const each of findZod3Limits(schema)) unfit.add(each);
  return zodToJsonSchema(schema, { effectStrategy: 'input', pipeStrategy: 'input' });
}
