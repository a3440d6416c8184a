import type { JsonValue } from './json.ts';

/** More steps than this take no schema that people fill in a form by. */
const MOST_STEPS = 10_000;
/** What is data, and no schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'example']);

/**
 * Tells whether a walk through a JSON Schema that follows its references ends soon: references that
 * fan out make a small text into a walk without an end. Each reference is followed once on a way.
 */
export function isWalkable(schema: { readonly [key: string]: JsonValue }): boolean {
  let steps = 0;

  function walk(value: JsonValue | undefined, refs: readonly string[]): void {
    steps += 1;
    if (steps > MOST_STEPS) throw new RangeError('It goes on for too long.');
    for (const inner of partsOf(value)) walk(inner, refs);
    const $ref = isObject(value) ? value.$ref : undefined;
    if (typeof $ref !== 'string' || refs.includes($ref)) return;
    walk(targetOf(schema, $ref), [...refs, $ref]);
  }

  try {
    walk(schema, []);
    return true;
  } catch (error) {
    // Also where the way itself is too long.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function partsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => (DATA.has(key) ? [] : [inner]));
}

/** Returns what a reference within a schema points to; undefined where that is nothing, or outside. */
export function targetOf(
  root: { readonly [key: string]: JsonValue },
  reference: string,
): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = stepOf(step);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    // A list has its entries by their numbers.
    target = (target as { readonly [key: string]: JsonValue })[key];
  }
  return target;
}

function stepOf(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
