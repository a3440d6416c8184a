/** What a schema of zod has against a value, in terms of the arguments: of a union, what the likeliest kind has. */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { FieldProblem } from '../../../domain/tools/tool.ts';

/** An issue of zod 4 or zod 3, as far as it is looked at. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Of a union of zod 4: each kind's issues, with paths from the union on. */
  readonly errors?: unknown;
  /** Of a union of zod 3: each kind's issues, with whole paths. */
  readonly unionErrors?: unknown;
}

const MAX_DEPTH = 8;
const MAX_KINDS = 5;

/** Says what is wrong with a value: where a value fits no kind of a union, what is wrong with the one that it is nearest to, or of each. */
export function describeZodIssues(
  issues: readonly SchemaIssue[],
  value: JsonValue,
  depth = 0,
): readonly FieldProblem[] {
  return issues.flatMap((issue) => {
    const kinds = depth > MAX_DEPTH ? [] : kindsOf(issue);
    if (kinds.length === 0) return [toProblem(issue)];
    const missed = kinds.map((kind) => distanceOf(kind, value));
    const least = Math.min(...missed);
    const nearest = kinds.filter((_, i) => missed[i] === least);
    const [only, ...others] = nearest;
    if (only !== undefined && others.length === 0) return describeZodIssues(only, value, depth + 1);
    return [{ ...toProblem(issue), message: describeEachVariant(issue, kinds) }];
  });
}

/** The issues of each kind of a union, with whole paths; a kind without any is none. */
function kindsOf(issue: SchemaIssue): readonly (readonly SchemaIssue[])[] {
  if (issue.code !== 'invalid_union') return [];
  const { errors, unionErrors, path } = issue;
  const own = listOf<readonly SchemaIssue[]>(errors).map((kind) =>
    kind.map((each) => ({ ...each, path: [...path, ...each.path] })),
  );
  const older = listOf<{ readonly issues: readonly SchemaIssue[] }>(unionErrors);
  return [...own, ...older.map(({ issues }) => issues)].filter((kind) => kind.length > 0);
}

function listOf<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

/** What tells kinds apart is what is missing, or fixed to something else: that counts more than a wrong value. */
function distanceOf(kind: readonly SchemaIssue[], value: JsonValue): number {
  return kind.reduce((sum, issue) => {
    const isFixed = issue.code === 'invalid_value' || issue.code === 'invalid_literal';
    const isApart = isFixed || issue.code === 'unrecognized_keys' || !isThere(issue.path, value);
    return sum + (isApart ? 3 : 1);
  }, 0);
}

function isThere(path: readonly PropertyKey[], value: JsonValue): boolean {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return true;
}

function describeEachVariant(
  { path, message }: SchemaIssue,
  kinds: readonly (readonly SchemaIssue[])[],
): string {
  const reasons = kinds.slice(0, MAX_KINDS).flatMap(([first]) => {
    if (first === undefined) return [];
    const rest = first.path.slice(path.length).map(String).join('.');
    return [rest === '' ? first.message : `${rest}: ${first.message}`];
  });
  const more = kinds.length > MAX_KINDS ? ` (and ${kinds.length - MAX_KINDS} more)` : '';
  return `${message}: it fits none of the kinds that this may be${more}. ${[...new Set(reasons)].join('; ')}`;
}

function toProblem({ path, message }: SchemaIssue): FieldProblem {
  return {
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
  };
}
