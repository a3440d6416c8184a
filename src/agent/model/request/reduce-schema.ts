/**
 * Reduces a JSON Schema to what every model server accepts. llama.cpp turns schemas into grammars and
 * refuses many patterns and large bounds. Gemini refuses references, lists of types and most keywords.
 * One refused tool makes the server refuse every request. The description names what was removed, and
 * the full schema still validates the arguments.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOf,
} from '../../../domain/json/json.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';

type Schema = JsonObject;

/** Parts of a schema beyond this number are dropped. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 12;
const MAX_NOTE_CHARS = 300;
/** Larger bounds come from a number type's range and are useless to a model. */
const MAX_DESCRIBED_BOUND = 1_000_000_000;

/** Keywords that are moved to the description. */
const DESCRIBED = [
  ...['const', 'enum', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
  ...[
    'minProperties',
    'maxProperties',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
  ],
  ...['prefixItems', 'contains', 'not', 'if', 'then', 'else', 'dependentRequired', 'default'],
] as const;

/** Returns the reduced schema; `schema` may refer to parts of `root`. */
export function reduceSchema(schema: Schema, root: Schema = schema): Schema {
  let parts = 0;

  function reduce(value: JsonValue | undefined, refs: readonly string[], depth: number): Schema {
    parts += 1;
    if (!isJsonObject(value) || parts > MAX_PARTS || depth > MAX_DEPTH) return {};
    const { $ref } = value;
    if (typeof $ref !== 'string') return reducePlain(joinAll(value, refs, depth), refs, depth);
    // A circular reference would never end.
    if (refs.includes($ref)) return withText(value, {});
    const { $ref: _, ...rest } = value;
    const target = targetOf(root, $ref);
    return reduce({ ...(isJsonObject(target) ? target : {}), ...rest }, [...refs, $ref], depth);
  }

  /** Merges the objects of an `allOf`; on conflict the earlier part wins. */
  function joinAll(value: Schema, refs: readonly string[], depth: number): Schema {
    const all = listOf(value.allOf);
    if (all.length === 0) return value;
    const { allOf: _, ...own } = value;
    return all
      .map((each) => reduce(each, refs, depth + 1))
      .reduce<Schema>((joined, each) => joinTwo(joined, each), own);
  }

  function reducePlain(value: Schema, refs: readonly string[], depth: number): Schema {
    const inner = (each: JsonValue | undefined) => reduce(each, refs, depth + 1);
    const alternatives = [...listOf(value.anyOf), ...listOf(value.oneOf)];
    if (alternatives.length > 0) return withText(value, { anyOf: alternatives.map(inner) });
    const types = typesOf(value);
    if (types.length > 1) {
      const { description: _, ...rest } = value;
      const each = types.map((type) => keywordsFor(type, rest, inner));
      return withText(value, { anyOf: each });
    }
    return withText(value, keywordsFor(types[0], value, inner));
  }

  return reduce(schema, [], 0);
}

function keywordsFor(
  type: string | undefined,
  value: Schema,
  inner: (each: JsonValue | undefined) => Schema,
): Schema {
  const choices = isStrings(value.enum) ? { enum: value.enum } : {};
  switch (type) {
    case undefined:
      return choices;
    case 'object':
      return { type, ...propertiesOf(value, inner) };
    case 'array':
      return { type, items: inner(value.items) };
    case 'string':
      return { type, ...(typeof value.const === 'string' ? { enum: [value.const] } : choices) };
    default:
      return { type };
  }
}

/**
 * Omits empty `properties`: an object without them may have any, but in a grammar it could have
 * none.
 */
function propertiesOf(value: Schema, inner: (each: JsonValue | undefined) => Schema): Schema {
  const entries = Object.entries(isJsonObject(value.properties) ? value.properties : {});
  if (entries.length === 0) return {};
  const properties = Object.fromEntries(entries.map(([key, each]) => [key, inner(each)]));
  const required = listOf(value.required).filter(
    (key) => typeof key === 'string' && Object.hasOwn(properties, key),
  );
  return { properties, ...(required.length > 0 && { required }) };
}

function typesOf({ type, properties, items, const: fixed }: Schema): readonly string[] {
  const named = [...(Array.isArray(type) ? type : [type])].filter(
    (each) => typeof each === 'string',
  );
  if (named.length > 0) return named;
  if (isJsonObject(properties)) return ['object'];
  if (items !== undefined) return ['array'];
  return typeof fixed === 'string' ? ['string'] : [];
}

/** Adds the title and description, with the keywords that the reduced schema lacks. */
function withText(value: Schema, reduced: Schema): Schema {
  const { description, title } = value;
  const words = [description, noteOf(value, reduced)].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  return {
    ...reduced,
    ...(typeof title === 'string' && { title }),
    ...(words.length > 0 && { description: words.join(' ') }),
  };
}

function noteOf(value: Schema, reduced: Schema): string | undefined {
  const left = DESCRIBED.flatMap((key) => {
    const given = value[key];
    if (given === undefined || Object.hasOwn(reduced, key) || isRedundantKeyword(key, given))
      return [];
    if (key === 'const' && Object.hasOwn(reduced, 'enum')) return [];
    return [[key, given] as const];
  });
  if (left.length === 0) return undefined;
  const note = JSON.stringify(Object.fromEntries(left));
  return note.length > MAX_NOTE_CHARS ? undefined : `(JSON Schema: ${note})`;
}

function isRedundantKeyword(key: string, given: JsonValue): boolean {
  if (typeof given === 'number' && key !== 'const') return Math.abs(given) > MAX_DESCRIBED_BOUND;
  return typeof given === 'boolean' && key !== 'const' && key !== 'default';
}

function joinTwo(a: Schema, b: Schema): Schema {
  const properties = [a.properties, b.properties].filter(isJsonObject);
  const required = [...listOf(a.required), ...listOf(b.required)];
  return {
    ...b,
    ...a,
    ...(properties.length > 0 && { properties: Object.assign({}, ...properties.toReversed()) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function isStrings(value: JsonValue | undefined): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
  );
}
