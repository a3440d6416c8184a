/**
 * The supported keywords of JSON Schema, drafts 4 to 2020-12 combined. A keyword has the same meaning
 * whatever `$schema` says; forms whose meaning differs between drafts are refused.
 */

/** The required form of a keyword's value. */
export type KeywordShape =
  | 'any'
  | 'boolean'
  | 'count'
  | 'list'
  | 'number'
  | 'pattern'
  | 'positive'
  | 'reference'
  | 'requirements'
  | 'text'
  | 'texts'
  | 'type'
  // Schemas: one, a list of them, one or a list, by name, by pattern, by name or lists of names.
  | 'schema'
  | 'schemas'
  | 'items'
  | 'named'
  | 'patterned'
  | 'dependencies';

/** Keywords that constrain values or contain schemas that do. */
export const KEYWORDS: Readonly<Record<string, KeywordShape>> = {
  $ref: 'reference',
  type: 'type',
  nullable: 'boolean',
  const: 'any',
  enum: 'list',
  not: 'schema',
  anyOf: 'schemas',
  oneOf: 'schemas',
  allOf: 'schemas',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword.
  then: 'schema',
  else: 'schema',
  maximum: 'number',
  minimum: 'number',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',
  multipleOf: 'positive',
  maxLength: 'count',
  minLength: 'count',
  pattern: 'pattern',
  format: 'text',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'boolean',
  prefixItems: 'schemas',
  items: 'items',
  additionalItems: 'schema',
  contains: 'schema',
  maxContains: 'count',
  minContains: 'count',
  unevaluatedItems: 'schema',
  maxProperties: 'count',
  minProperties: 'count',
  required: 'texts',
  dependentRequired: 'requirements',
  propertyNames: 'schema',
  additionalProperties: 'schema',
  dependencies: 'dependencies',
  properties: 'named',
  patternProperties: 'patterned',
  dependentSchemas: 'named',
  unevaluatedProperties: 'schema',
};

/** Keywords that do not constrain values but matter: they mark secrets or resolve references. */
export const ANNOTATION_KEYWORDS: Readonly<Record<string, KeywordShape>> = {
  writeOnly: 'boolean',
  secret: 'boolean',
  $schema: 'text',
  $id: 'text',
  $anchor: 'text',
};

/** Constraining keywords that are not supported, each with the alternative. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  $dynamicRef: 'write "$ref"',
  $recursiveRef: 'write "$ref"',
  divisibleBy: 'write "multipleOf"',
  disallow: 'write "not"',
  extends: 'write "allOf"',
  formatMaximum: 'leave it out, or use "pattern"',
  formatMinimum: 'leave it out, or use "pattern"',
  formatExclusiveMaximum: 'leave it out, or use "pattern"',
  formatExclusiveMinimum: 'leave it out, or use "pattern"',
};
