import { isJsonObject, type JsonValue } from '../../../domain/json/json.ts';
import type { ProviderFields } from '../../../domain/threads/message.ts';

/** In parts of a list, these strings are concatenated; all others are replaced. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data', 'thinking', 'content']);

/**
 * Merges the fields of a streamed message: strings are concatenated, list parts joined by index.
 */
export function mergeDeltas(known: ProviderFields, added: ProviderFields): ProviderFields {
  const merged: Record<string, JsonValue> = { ...known };
  for (const [key, value] of Object.entries(added)) {
    merged[key] = mergeValue(known[key], value, true);
  }
  return merged;
}

function mergeValue(known: JsonValue | undefined, added: JsonValue, grows: boolean): JsonValue {
  if (known === undefined || known === null) return added;
  if (added === null) return known;
  if (typeof known === 'string' && typeof added === 'string') return grows ? known + added : added;
  if (Array.isArray(known) && Array.isArray(added)) return mergeLists(known, added);
  if (isJsonObject(known) && isJsonObject(added)) return mergeParts(known, added);
  return added;
}

function mergeParts(known: ProviderFields, added: ProviderFields): ProviderFields {
  const merged: Record<string, JsonValue> = { ...known };
  for (const [key, value] of Object.entries(added)) {
    merged[key] = mergeValue(known[key], value, GROWING.has(key));
  }
  return merged;
}

function mergeLists(known: readonly JsonValue[], added: readonly JsonValue[]): JsonValue {
  const merged = [...known];
  for (const part of added) {
    const at = merged.findIndex((each) => isSamePart(each, part));
    const before = merged[at];
    if (isJsonObject(before) && isJsonObject(part)) merged[at] = mergeParts(before, part);
    else merged.push(part);
  }
  return merged;
}

function isSamePart(known: JsonValue, added: JsonValue): boolean {
  if (!isJsonObject(known) || !isJsonObject(added)) return false;
  return (
    typeof added.index === 'number' && known.index === added.index && known.type === added.type
  );
}
