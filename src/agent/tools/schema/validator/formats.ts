import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonValue } from '../../../../domain/json/json.ts';
import { type StepBudget, spendSteps } from './step-budget.ts';

/** Formats of the drafts, and of OpenAPI's registry, that are notes for whoever writes arguments. */
const UNCHECKED = [
  ...['iri', 'iri-reference', 'idn-email', 'idn-hostname', 'http-date', 'date-time-local'],
  ...['int8', 'int16', 'int128', 'uint', 'uint8', 'uint16', 'uint32', 'uint64', 'uint128'],
  ...['base64url', 'decimal', 'decimal128', 'double-int', 'time-local', 'char', 'html'],
];

/** The names of the formats that are known. */
export const FORMAT_NAMES: readonly string[] = [...Object.keys(fullFormats), ...UNCHECKED];

/** Tells whether a value has a format; one that is not known is a note, as JSON Schema says. */
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

/** One looks at each pair of characters, one is compiled; the others read on. */
function stepsOf(format: string, length: number): number {
  if (format === 'url') return length + (length * length) / 20;
  return format === 'regex' ? 5 * length : length;
}
