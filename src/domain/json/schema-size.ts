import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

type Schema = JsonObject;

/** A form for people never needs a schema with more steps. */
const MAX_STEPS = 10_000;
/** Following a reference costs one more step per this many characters. */
const CHARACTERS_A_STEP = 20;
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'example']);
/** Keywords whose values map arbitrary names to schemas. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
]);

/**
 * Returns whether walking a JSON Schema through its references ends soon. References that fan out
 * can make the walk of a small schema endless. Each reference is followed once per path.
 */
export function isWalkable(schema: Schema): boolean {
  let steps = 0;

  function walk(value: JsonValue | undefined, refs: readonly string[], cost = 1): void {
    steps += cost;
    if (steps > MAX_STEPS) throw new RangeError('It goes on for too long.');
    for (const inner of partsOf(value)) walk(inner, refs);
    const $ref = isJsonObject(value) ? value.$ref : undefined;
    if (typeof $ref !== 'string' || refs.includes($ref)) return;
    walk(targetOf(schema, $ref), [...refs, $ref], 1 + $ref.length / CHARACTERS_A_STEP);
  }

  try {
    walk(schema, []);
    return true;
  } catch (error) {
    // Also thrown when the recursion overflows the stack.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function partsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (DATA.has(key)) return [];
    return BY_NAME.has(key) && isJsonObject(inner) ? Object.values(inner) : [inner];
  });
}

/**
 * Resolves a reference within a schema: a pointer (`#/$defs/a`), an anchor (`#a`) or an `$id`.
 * Undefined if it is missing, ambiguous or outside the schema.
 */
export function targetOf(root: Schema, reference: string): JsonValue | undefined {
  const at = reference.indexOf('#');
  const resource = at < 0 ? reference : reference.slice(0, at);
  const fragment = at < 0 ? '' : reference.slice(at + 1);
  const base = resource === '' ? root : namesIn(root).get(resource);
  if (fragment === '' || base === undefined) return base;
  return fragment.startsWith('/') ? follow(base, fragment) : namesIn(root).get(`#${fragment}`);
}

function follow(base: JsonValue, pointer: string): JsonValue | undefined {
  let target: JsonValue | undefined = base;
  for (const step of pointer.slice(1).split('/')) {
    const key = stepOf(step);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    // Array entries are reached by index, too.
    target = (target as Schema)[key];
  }
  return target;
}

/** Named subschemas per root schema. A name that occurs twice maps to undefined. */
const NAMES = new WeakMap<Schema, ReadonlyMap<string, Schema | undefined>>();

function namesIn(root: Schema): ReadonlyMap<string, Schema | undefined> {
  const known = NAMES.get(root);
  if (known) return known;
  const names = new Map<string, Schema | undefined>();
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const part of partsOf(value)) pending.push(part);
    if (!isJsonObject(value)) continue;
    for (const name of namesOf(value)) names.set(name, names.has(name) ? undefined : value);
  }
  NAMES.set(root, names);
  return names;
}

function namesOf({ $anchor, $dynamicAnchor, $id }: Schema): readonly string[] {
  const anchors = new Set([$anchor, $dynamicAnchor].filter((name) => typeof name === 'string'));
  const names = [...anchors].map((name) => `#${name}`);
  return typeof $id === 'string' ? [...names, $id.replace(/(?<=.)#$/, '')] : names;
}

function stepOf(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
