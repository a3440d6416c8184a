import { closestMatch } from 'leven';
import type { z } from 'zod';
import type { Path } from './policy-source.ts';
import type { ProblemReporter } from './problem-reporter.ts';

const MAX_SHOWN = 40;

/** Where a value is, and where to report its problems. */
export interface ValuePlace {
  readonly path: Path;
  /** Its name in messages, e.g. “rule 3”. */
  readonly what: string;
  readonly report: ProblemReporter;
}

/**
 * Parses a value and reports its problems; the schema's messages complete “it …”. With problems,
 * `isSound` is false and the value lacks the invalid keys, if it can be parsed at all. Use it only
 * to find more problems.
 */
export function readValue<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  place: ValuePlace,
): { readonly value: Output | undefined; readonly isSound: boolean } {
  const read = schema.safeParse(value);
  if (read.success) return { value: read.data, isSound: true };
  const known = 'shape' in schema && isObject(schema.shape) ? Object.keys(schema.shape) : [];
  const invalid = new Set<PropertyKey>();
  for (const issue of read.error.issues) {
    reportIssue(issue, value, known, place);
    const [key] = issue.path;
    if (key !== undefined) invalid.add(key);
    else if (issue.code === 'unrecognized_keys') for (const each of issue.keys) invalid.add(each);
  }
  if (!isObject(value)) return { value: undefined, isSound: false };
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !invalid.has(key)));
  return { value: schema.safeParse(rest).data, isSound: false };
}

function reportIssue(
  issue: z.core.$ZodIssue,
  value: unknown,
  known: readonly string[],
  { path, what, report }: ValuePlace,
): void {
  const at = [...path, ...issue.path.filter((part) => typeof part !== 'symbol')];
  if (issue.code !== 'unrecognized_keys') {
    report.error(at, describeIssue(what, issue, valueAt(value, issue.path)));
    return;
  }
  const isInside = issue.path.length > 0;
  const owner = isInside ? `“${String(issue.path.at(-1))}”` : what;
  for (const key of issue.keys) {
    const hint = isInside ? '' : suggestName(key, known);
    report.errorAtKey([...at, key], `“${key}” is not a key of ${owner}.${hint}`);
  }
}

/** Suggests the existing name closest to an unknown one, or lists all names. */
export function suggestName(invalid: string, names: readonly string[]): string {
  const near = closestMatch(invalid, names, { maxDistance: Math.max(2, invalid.length / 3) });
  if (near !== undefined) return ` Did you mean “${near}”?`;
  return names.length === 0 ? '' : ` Known: ${names.join(', ')}.`;
}

function describeIssue(what: string, issue: z.core.$ZodIssue, value: unknown): string {
  const { message, path } = issue;
  const key = path.findLast((part) => typeof part === 'string');
  const name = key === undefined ? `${what.charAt(0).toUpperCase()}${what.slice(1)}` : `“${key}”`;
  const shown = JSON.stringify(value) ?? '';
  const isShort = shown.length <= MAX_SHOWN;
  if (typeof path.at(-1) === 'number') {
    return `${name} can't hold ${isShort ? shown : 'this'}: an entry ${message}.`;
  }
  if (value === undefined) return `${name} is missing: it ${message}.`;
  if (value === null) return `${name} is empty: it ${message}.`;
  return `${name} can't be ${isShort ? shown : 'this'}: it ${message}.`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const part of path) {
    if (!isObject(found) && !Array.isArray(found)) return undefined;
    found = (found as { readonly [key: PropertyKey]: unknown })[part];
  }
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
