/**
 * Turns zod issues into problems of arguments. For a union, reports the issues of the likeliest
 * alternative.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { FieldProblem } from '../../../domain/tools/tool.ts';

/** The parts of a zod 4 or zod 3 issue that we use. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** For a zod 4 union: issues of each alternative, with paths relative to the union. */
  readonly errors?: unknown;
  /** For a zod 3 union: issues of each alternative, with full paths. */
  readonly unionErrors?: unknown;
}

const MAX_DEPTH = 8;
const MAX_ALTERNATIVES = 5;

/**
 * Describes the problems of a value. For a union, those of the nearest alternative, or of each if
 * several are equally near.
 */
export function describeZodIssues(
  issues: readonly SchemaIssue[],
  value: JsonValue,
  depth = 0,
): readonly FieldProblem[] {
  return issues.flatMap((issue) => {
    const alternatives = depth > MAX_DEPTH ? [] : alternativesOf(issue);
    if (alternatives.length === 0) return [toProblem(issue)];
    const missed = alternatives.map((alternative) => distanceOf(alternative, value));
    const least = Math.min(...missed);
    const nearest = alternatives.filter((_, i) => missed[i] === least);
    const [only, ...others] = nearest;
    if (only !== undefined && others.length === 0) return describeZodIssues(only, value, depth + 1);
    return [{ ...toProblem(issue), message: describeEachVariant(issue, alternatives) }];
  });
}

/**
 * Returns the issues of each alternative of a union, with full paths. Skips alternatives without
 * issues.
 */
function alternativesOf(issue: SchemaIssue): readonly (readonly SchemaIssue[])[] {
  if (issue.code !== 'invalid_union') return [];
  const { errors, unionErrors, path } = issue;
  const own = listOf<readonly SchemaIssue[]>(errors).map((alternative) =>
    alternative.map((each) => ({ ...each, path: [...path, ...each.path] })),
  );
  const older = listOf<{ readonly issues: readonly SchemaIssue[] }>(unionErrors);
  return [...own, ...older.map(({ issues }) => issues)].filter(
    (alternative) => alternative.length > 0,
  );
}

function listOf<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

/**
 * Missing fields and different constants distinguish alternatives, so they count more than wrong
 * values.
 */
function distanceOf(alternative: readonly SchemaIssue[], value: JsonValue): number {
  return alternative.reduce((sum, issue) => {
    const isFixed = issue.code === 'invalid_value' || issue.code === 'invalid_literal';
    const isDistinct = isFixed || issue.code === 'unrecognized_keys' || !exists(issue.path, value);
    return sum + (isDistinct ? 3 : 1);
  }, 0);
}

function exists(path: readonly PropertyKey[], value: JsonValue): boolean {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return true;
}

function describeEachVariant(
  { path, message }: SchemaIssue,
  alternatives: readonly (readonly SchemaIssue[])[],
): string {
  const reasons = alternatives.slice(0, MAX_ALTERNATIVES).flatMap(([first]) => {
    if (first === undefined) return [];
    const rest = first.path.slice(path.length).map(String).join('.');
    return [rest === '' ? first.message : `${rest}: ${first.message}`];
  });
  const more =
    alternatives.length > MAX_ALTERNATIVES
      ? ` (and ${alternatives.length - MAX_ALTERNATIVES} more)`
      : '';
  return `${message}: it matches none of the alternatives${more}. ${[...new Set(reasons)].join('; ')}`;
}

function toProblem({ path, message }: SchemaIssue): FieldProblem {
  return {
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
  };
}
