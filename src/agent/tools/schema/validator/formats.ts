import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonValue } from '../../../../domain/json/json.ts';
import { type StepBudget, spendSteps } from './step-budget.ts';

/** Formats of the drafts and OpenAPI's registry that are not validated. */
const UNCHECKED = [
  ...['iri', 'iri-reference', 'idn-email', 'idn-hostname', 'http-date', 'date-time-local'],
  ...['int8', 'int16', 'int128', 'uint', 'uint8', 'uint16', 'uint32', 'uint64', 'uint128'],
  ...['base64url', 'decimal', 'decimal128', 'double-int', 'time-local', 'char', 'html'],
];

export const FORMAT_NAMES: readonly string[] = [...Object.keys(fullFormats), ...UNCHECKED];

/**
 * Returns whether a value has a format. Unknown formats are annotations in JSON Schema and always
 * match.
 */
export function hasFormat(format: string, value: JsonValue, budget: StepBudget): boolean {
  const found = Object.hasOwn(fullFormats, format) ? fullFormats[format as FormatName] : true;
  if (typeof found === 'boolean') return true;
  if (typeof found === 'object' && 'type' in found && found.type === 'number') {
    return typeof value !== 'number' || found.validate(value) === true;
  }
  if (typeof value !== 'string') return true;
  spendSteps(budget, stepsOf(format, value.length));
  const check = typeof found === 'object' && 'validate' in found ? found.validate : found;
  return check instanceof RegExp ? check.test(value) : (check as (text: string) => boolean)(value);
}

/** `url` takes quadratic time and `regex` is compiled; the others are linear. */
function stepsOf(format: string, length: number): number {
  if (format === 'url') return length + (length * length) / 20;
  return format === 'regex' ? 5 * length : length;
}
