import { isPayload, textAt } from '../payload.ts';

/** What the view of a form says of itself. */
export interface RouteMeta {
  /** Of the route that is changed; undefined for a new one. */
  readonly name?: string;
  /** The revision that the form was filled from; 0 for a new route. */
  readonly seen: number;
  /** Where it was opened. */
  readonly from: 'list' | 'home';
}

/** Writes it as the view carries it. */
export function encodeRouteMeta({ from, name, seen }: RouteMeta): string {
  return JSON.stringify({ from, seen, ...(name !== undefined && { name }) });
}

/** Reads it; undefined for anything that `encodeRouteMeta` did not write. */
export function parseRouteMeta(text: string): RouteMeta | undefined {
  const value = parse(text);
  if (!isPayload(value)) return undefined;
  const { from, seen } = value;
  if ((from !== 'list' && from !== 'home') || !Number.isSafeInteger(seen)) return undefined;
  const name = textAt(value, 'name');
  return { from, seen: Number(seen), ...(name !== undefined && { name }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
