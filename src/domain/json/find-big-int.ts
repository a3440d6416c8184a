/**
 * Throws, naming the path, if a graph's state holds a BigInt. The stock serializer would replace
 * the whole value around it.
 */
export function refuseBigInt(state: unknown): void {
  const path = findBigInt(state);
  if (path === undefined) return;
  throw new TypeError(
    `The graph's state holds a BigInt at ${path || 'its root'}, which JSON cannot represent. ` +
      'Keep it as a string.',
  );
}

/**
 * Returns the path of the first BigInt in a value (lists, objects, maps, sets); undefined if none.
 */
function findBigInt(value: unknown): string | undefined {
  return search(value, '', new Set());
}

function search(value: unknown, path: string, seen: Set<object>): string | undefined {
  if (typeof value === 'bigint') return path;
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
  seen.add(value);
  for (const [key, item] of entriesOf(value)) {
    const found = search(item, `${path}/${key}`, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function entriesOf(value: object): Iterable<readonly [string, unknown]> {
  if (ArrayBuffer.isView(value)) return [];
  if (value instanceof Map) return [...value].flatMap(([key, item]) => both(key, item));
  if (value instanceof Set) return [...value].map((item, index) => [String(index), item]);
  return Object.entries(value);
}

/** A map's key may be a BigInt as well as its value. */
function both(key: unknown, item: unknown): readonly (readonly [string, unknown])[] {
  const name = String(key);
  return [
    [name, key],
    [name, item],
  ];
}
