import type { z as z3 } from 'zod/v3';

/** Names of zod 3 types whose values are not plain JSON. */
const UNFIT: Readonly<Record<string, string>> = {
  ZodDate: 'dates',
  ZodBigInt: 'bigints',
  ZodMap: 'maps',
  ZodSet: 'sets',
  ZodFunction: 'functions',
  ZodSymbol: 'symbols',
  ZodNaN: 'NaN',
  ZodPromise: 'promises',
};

/**
 * Lists the parts of a zod 3 schema that do not survive a round trip through JSON. zod 4 reports
 * them itself.
 */
export function findZod3Limits(schema: z3.ZodTypeAny): readonly string[] {
  const seen = new Set<unknown>();
  const found = new Set<string>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (!isSchema(next) || seen.has(next)) continue;
    seen.add(next);
    const { typeName, effect } = next._def;
    const name = UNFIT[String(typeName)];
    if (name !== undefined) found.add(name);
    if (isRecord(effect) && effect.type !== 'refinement') found.add('transforms');
    waiting.push(...partsOf(next));
  }
  return [...found];
}

type Schema = { readonly _def: Readonly<Record<string, unknown>> };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isSchema(value: unknown): value is Schema {
  return isRecord(value) && isRecord(value._def) && 'typeName' in value._def;
}

/** Returns the schemas inside a schema: shape, items, options, and the target of a lazy one. */
function partsOf({ _def: def }: Schema): readonly unknown[] {
  const { getter, shape, options } = def;
  return [
    ...Object.values(def).flatMap((part) => (Array.isArray(part) ? part : [part])),
    ...(typeof getter === 'function' ? [getter()] : []),
    ...(typeof shape === 'function' ? Object.values(shape()) : []),
    ...(options instanceof Map ? options.values() : []),
  ];
}
