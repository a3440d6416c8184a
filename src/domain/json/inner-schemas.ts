/** Visits or rewrites the schemas inside a JSON Schema; plain data, as in `default`, is left alone. */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { KEYWORDS, type KeywordShape } from './schema-keywords.ts';

/** A schema directly inside another one. */
export interface InnerSchema {
  readonly schema: JsonValue;
  readonly keyword: string;
  /** Its name or index, if the keyword holds several. */
  readonly key: string | undefined;
}

/** Lists the schemas that apply inside a schema: not the definitions, which need a reference. */
export function innerSchemas(schema: JsonObject): readonly InnerSchema[] {
  const found: InnerSchema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    mapKeyword(shapeOf(keyword), value, (inner, key) => {
      found.push({ schema: inner, keyword, key });
      return inner;
    });
  }
  return found;
}

/** Rewrites a schema and all schemas inside it, definitions included, innermost first. */
export function mapSchema(
  schema: JsonObject,
  rewrite: (schema: JsonObject) => JsonObject,
): JsonObject {
  const map = (value: JsonValue) => (isJsonObject(value) ? mapSchema(value, rewrite) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const shape = DEFINITIONS.has(keyword) ? 'named' : shapeOf(keyword);
    return [keyword, mapKeyword(shape, value, map)];
  });
  return rewrite(Object.fromEntries(entries));
}

const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

function shapeOf(keyword: string): KeywordShape | undefined {
  return Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
}

function mapKeyword(
  shape: KeywordShape | undefined,
  value: JsonValue,
  map: (inner: JsonValue, key?: string) => JsonValue,
): JsonValue {
  switch (shape) {
    case 'schema':
      return map(value);
    case 'items':
    case 'schemas':
      return Array.isArray(value)
        ? value.map((each: JsonValue, index) => map(each, `${index}`))
        : map(value);
    case 'dependencies':
    case 'named':
    case 'patterned':
      return isJsonObject(value) ? mapEntries(value, map) : value;
    default:
      return value;
  }
}

/** In `dependencies`, lists are names of properties. */
function mapEntries(
  object: JsonObject,
  map: (inner: JsonValue, key: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      Array.isArray(value) ? value : map(value, key),
    ]),
  );
}
