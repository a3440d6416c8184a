/** Describes what is wrong with a part of a request, for the program's developer. */
import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  array: ['entry', 'entries'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
  string: ['character', 'characters'],
};

/** One wrong part of a request. The message has no subject: “must be a string”. */
export interface DescribedIssue {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Describes each issue that a schema found. */
export function describeIssues(error: z.ZodError, sent: unknown): readonly DescribedIssue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
    }
    const isMissing = valueAt(sent, path) === undefined && path.length > 0;
    const message = describe(issue);
    return { path, message: isMissing ? `is required and ${message}` : message };
  });
}

/** Makes a sentence of an issue; `whole` names the request where the issue has no path. */
export function formatIssue({ message, path }: DescribedIssue, whole: string): string {
  return `${path.length === 0 ? whole : `\`${path.join('.')}\``} ${message}.`;
}

function describe(issue: z.core.$ZodIssue): string {
  // Messages of our schemas begin with a small letter; zod's own are rewritten below.
  if (/^[a-z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must ${describeLimit(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${describeLimit(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_format':
      return issue.format === 'url'
        ? 'must be a URL that begins with http:// or https://'
        : `must be a valid ${issue.format}`;
    default:
      return 'has a value that is not accepted';
  }
}

function describeLimit(origin: string, bound: string, limit: number | bigint): string {
  const [one, many] = UNITS[origin] ?? [];
  if (one === undefined) return `be ${bound} ${limit}`;
  return `have ${bound} ${limit} ${Number(limit) === 1 ? one : many}`;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as { readonly [key: string | number]: unknown })[step];
  }
  return found;
}
