import type { z as z3 } from 'zod/v3';

/** Types of zod 3 whose values are not plain JSON, or change when they are read, and what they are called. */
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

/** Lists what in a schema of zod 3 JSON can't carry both ways, as zod 4 itself would say it. */
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

/** The schemas within one: those of its shape, its items, its options, and what a lazy one stands for. */
function partsOf({ _def: def }: Schema): readonly unknown[] {
  const { getter, shape, options } = def;
  return [
    ...Object.values(def).flatMap((part) => (Array.isArray(part) ? part : [part])),
    ...(typeof getter === 'function' ? [getter()] : []),
    ...(typeof shape === 'function' ? Object.values(shape()) : []),
    ...(options instanceof Map ? options.values() : []),
  ];
}
