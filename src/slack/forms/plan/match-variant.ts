import type { JsonValue } from '../../../domain/json/json.ts';
import {
  asList,
  asObject,
  isObject,
  isSame,
  type Schema,
  typeOf,
  valuesOf,
  variantsOf,
  type Walk,
} from '../../schema/resolve-schema.ts';

/** How well a value fits a schema: 0 not at all, 1 with unknown keys, 2 fully. */
export type SchemaFit = 0 | 1 | 2;

const MAX_DEPTH = 12;
/** Only this many items are checked. Longer lists get no fields of their own. */
const MAX_ITEMS = 100;

/**
 * Rates how well a value fits a schema, by types, constants and keys. It only selects the variant
 * shown in a form; the tool's own schema decides whether the value is valid.
 */
export function schemaFitOf(
  schema: JsonValue | undefined,
  value: JsonValue,
  walk: Walk,
  depth = 0,
): SchemaFit {
  if (depth > MAX_DEPTH) return 2;
  const fits = variantsOf(schema, walk).map((each) => fitOne(each, value, walk, depth));
  return toFit(Math.max(0, ...fits));
}

function fitOne(schema: Schema, value: JsonValue, walk: Walk, depth: number): SchemaFit {
  const values = valuesOf(schema);
  if (values !== undefined) return values.some((each) => isSame(each, value)) ? 2 : 0;
  const type = typeOf(schema);
  if (type === undefined) return 1;
  if (!isOfType(type, value)) return 0;
  if (Array.isArray(value)) return fitList(schema, value, walk, depth);
  return isObject(value) ? fitObject(schema, value, walk, depth) : 2;
}

function isOfType(type: string, value: JsonValue): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  return type === typeof value;
}

function fitList(
  schema: Schema,
  value: readonly JsonValue[],
  walk: Walk,
  depth: number,
): SchemaFit {
  const first = asList(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []));
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  return worstFitOf(
    value
      .slice(0, MAX_ITEMS)
      .map((each, i) => schemaFitOf(first[i] ?? rest, each, walk, depth + 1)),
  );
}

function fitObject(schema: Schema, value: Schema, walk: Walk, depth: number): SchemaFit {
  const properties = asObject(schema.properties);
  const lacks = asList(schema.required).some((key) => !Object.hasOwn(value, String(key)));
  if (lacks) return 0;
  const known = Object.keys(value).filter((key) => Object.hasOwn(properties, key));
  const fit = worstFitOf(
    known.map((key) => schemaFitOf(properties[key], value[key] ?? null, walk, depth + 1)),
  );
  const more = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (more.length === 0 || fit === 0) return fit;
  if (!isObject(schema.additionalProperties)) return 1;
  return worstFitOf([
    fit,
    ...more.map((key) =>
      schemaFitOf(schema.additionalProperties, value[key] ?? null, walk, depth + 1),
    ),
  ]);
}

function worstFitOf(fits: readonly SchemaFit[]): SchemaFit {
  return toFit(Math.min(2, ...fits));
}

function toFit(fit: number): SchemaFit {
  return fit === 0 || fit === 1 ? fit : 2;
}
