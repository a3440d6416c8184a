/** Patterns of `matches`: RE2 syntax, as in CEL (https://github.com/google/re2/wiki/Syntax). */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { ConditionError } from './cel-values.ts';

/** Compiled patterns by their source. */
export type CelPatterns = Map<string, RE2JS>;

/** Compiles a pattern, or returns what RE2 rejects and in which part. */
export function compilePattern(
  pattern: string,
):
  | { readonly ok: true; readonly compiled: RE2JS }
  | { readonly ok: false; readonly why: string; readonly part: string } {
  try {
    return { ok: true, compiled: RE2JS.compile(pattern) };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const { error: why, input } = error as { readonly error?: string; readonly input?: string };
    return { ok: false, why: why ?? error.message, part: input ?? '' };
  }
}

/** Returns whether a pattern matches anywhere in a text. */
export function matchesPattern(text: string, pattern: string, patterns: CelPatterns): boolean {
  const known = patterns.get(pattern);
  if (known) return known.test(text);
  const read = compilePattern(pattern);
  if (!read.ok) throw new ConditionError('A string is not a valid regular expression.');
  return read.compiled.test(text);
}
