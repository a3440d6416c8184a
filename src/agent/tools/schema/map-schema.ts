import type { JsonValue } from '../../../domain/json/json.ts';
import { KEYWORDS, type KeywordShape } from './keywords.ts';
import { isList, isObject, type Schema } from './validator/validation-walk.ts';

/**
 * Rewrites a schema and all schemas inside it, innermost first. Leaves plain data alone, for
 * example in `default`.
 */
export function mapSchema(schema: Schema, rewrite: (schema: Schema) => Schema): Schema {
  const map = (value: JsonValue) => (isObject(value) ? mapSchema(value, rewrite) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    mapValue(shapeOf(keyword), value, map),
  ]);
  return rewrite(Object.fromEntries(entries));
}

function shapeOf(keyword: string): KeywordShape | undefined {
  if (keyword === '$defs' || keyword === 'definitions') return 'named';
  return Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
}

function mapValue(
  shape: KeywordShape | undefined,
  value: JsonValue,
  map: (value: JsonValue) => JsonValue,
): JsonValue {
  switch (shape) {
    case 'schema':
      return map(value);
    case 'items':
    case 'schemas':
      return isList(value) ? value.map(map) : map(value);
    case 'dependencies':
    case 'named':
    case 'patterned':
      return isObject(value) ? mapEntries(value, map) : value;
    default:
      return value;
  }
}

function mapEntries(object: Schema, map: (value: JsonValue) => JsonValue): Schema {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
