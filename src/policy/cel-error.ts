import { TypeError as CelTypeError, EvaluationError, ParseError } from '@marcbachmann/cel-js';

/** What goes wrong inside of CEL. */
export type CelError = ParseError | EvaluationError | CelTypeError;

/** Tells whether CEL itself threw it. */
export function isCelError(error: unknown): error is CelError {
  return [ParseError, EvaluationError, CelTypeError].some((kind) => error instanceof kind);
}

/** Errors whose words hold a value of the arguments, which may be a secret. */
const TELLING: Readonly<Record<string, string>> = {
  bool_conversion_error: 'A value can’t be read as true or false.',
  invalid_regular_expression: 'A text is no regular expression.',
  invalid_duration: 'A text is no duration.',
  numeric_overflow: 'A number is too large.',
};

/** Says why a condition could not be answered, `timeoutMs` being the most that it may take; never with a value of the arguments. */
export function sayFailure(error: unknown, timeoutMs: number): string {
  if (isCelError(error)) {
    const isIndexed = error.code === 'no_such_key' && error.node?.op === '[]';
    if (isIndexed) return 'There is no such key, or place in a list.';
    return TELLING[error.code] ?? withStop(error.summary);
  }
  // It comes from another realm, and is no instance of our Error.
  const isTimeout = isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
  if (isTimeout) return `It took longer than ${timeoutMs} ms.`;
  return error instanceof Error ? withStop(error.message) : 'It failed.';
}

function isObject(value: unknown): value is { readonly code?: unknown } {
  return typeof value === 'object' && value !== null;
}

/** Ends a sentence. */
export function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
