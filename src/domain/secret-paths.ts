/** Which arguments are secret: by dotted paths, as a tool declares them or its schema marks them. */
import type { JsonValue } from './json.ts';
import { targetOf } from './schema-size.ts';

/**
 * Tells whether an argument lies at, or in, one of the dotted paths. `*` stands for any key or any
 * place in a list, `**` for any way down; a list's items are passed through without it too.
 */
export function isSecretPath(
  path: readonly (string | number)[],
  secrets: readonly string[],
): boolean {
  return secrets.some((secret) => liesIn(path, secret.split('.')));
}

function liesIn(path: readonly (string | number)[], steps: readonly string[]): boolean {
  const [wanted, ...later] = steps;
  if (wanted === undefined) return true;
  if (wanted === '**' && liesIn(path, later)) return true;
  const [step, ...rest] = path;
  if (step === undefined) return false;
  if (wanted === '*' && liesIn(rest, later)) return true;
  if (wanted === '**') return liesIn(rest, steps);
  if (typeof step === 'number') return liesIn(rest, steps);
  // A key may hold dots itself.
  const parts = step.split('.');
  return parts.every((part, i) => part === steps[i]) && liesIn(rest, steps.slice(parts.length));
}

type Schema = { readonly [key: string]: JsonValue };

/** Lists the paths that a JSON Schema marks as secret: `format: "password"`, `writeOnly`, or `secret: true`. */
export function secretPathsOf(schema: Schema): readonly string[] {
  const paths = new Set<string>();
  walk(schema, { root: schema, path: [], paths, refs: [] });
  return [...paths];
}

interface Walk {
  readonly root: Schema;
  readonly path: readonly string[];
  readonly paths: Set<string>;
  /** References that are being followed: a recursive schema is walked once. */
  readonly refs: readonly string[];
}

/** Keywords whose schemas are of the value itself, or of a list's items, which are passed through. */
const OF_ITSELF = [
  ...['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
] as const;
/** Those of values under names that the schema does not list. */
const OF_ANY_FIELD = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
] as const;
/** What stands in them are schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set([
  'dependentSchemas',
  'dependencies',
  'patternProperties',
]);

function walk(schema: JsonValue | undefined, at: Walk): void {
  if (!isSchema(schema)) return;
  if (schema.format === 'password' || schema.writeOnly === true || schema.secret === true) {
    at.paths.add(at.path.length === 0 ? '*' : at.path.join('.'));
    return;
  }
  walkReference(schema, at);
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = OF_ANY_FIELD.flatMap((name) => schemasIn(schema, name));
  for (const [key, inner] of [...properties, ...fields.map((each) => ['*', each] as const)]) {
    walk(inner, { ...at, path: [...at.path, key] });
  }
  for (const each of OF_ITSELF.flatMap((name) => schemasIn(schema, name))) walk(each, at);
}

/** One, a list of them, or some by name. */
function schemasIn(schema: Schema, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (!isSchema(value)) return [];
  return BY_NAME.has(keyword) ? Object.values(value) : [value];
}

function walkReference(schema: Schema, at: Walk): void {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return;
  const target = targetOf(at.root, $ref);
  if (!at.refs.includes($ref)) walk(target, { ...at, refs: [...at.refs, $ref] });
  // Here the schema is in itself: its secrets lie at any depth below.
  else if (!at.path.includes('**'))
    walk(target, { ...at, path: [...at.path, '**'], refs: [...at.refs, $ref] });
}

function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
