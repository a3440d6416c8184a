/** Shows lists and objects of a few short values line by line. */
import type { RichTextElement } from '@slack/types';
import type { JsonValue } from '../../../domain/json/json.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import {
  asList,
  asObject,
  createSchemaWalk,
  resolveSchema,
  type Schema,
} from '../../schema/resolve-schema.ts';
import { argumentLabelsOf } from './argument-labels.ts';
import { formatScalar } from './format-scalar.ts';

/** The lines; numbered for a list, bulleted for an object. */
export interface FormattedList {
  readonly isNumbered: boolean;
  readonly lines: readonly (readonly RichTextElement[])[];
}

const MAX_LINES = 20;
const MAX_KEYS = 8;
const MAX_TEXT = 80;

/**
 * Formats a value line by line. Undefined if it is nested deeper, has keys unknown to its schema,
 * or texts longer than a line.
 */
export function formatList(value: JsonValue, schema: Schema): FormattedList | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const size = Object.keys(value).length;
  if (size === 0 || size > MAX_LINES) return undefined;
  if (!isList(value)) {
    const pairs = pairsOf(value, schema);
    return pairs && { isNumbered: false, lines: pairs };
  }
  const items = resolveSchema(
    schema.items ?? asList(schema.prefixItems)[0],
    createSchemaWalk(schema),
  );
  const lines = value.map((each) => lineOf(each, items));
  return allOf(lines, (known) => ({ isNumbered: true, lines: known }));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function lineOf(value: JsonValue, schema: Schema): readonly RichTextElement[] | undefined {
  const scalar = scalarOf(value);
  if (scalar !== undefined) return [scalar];
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  const pairs = pairsOf(value, schema);
  return pairs?.flatMap((pair, i) => (i === 0 ? pair : [plain(' · '), ...pair]));
}

/** Returns the pairs in the schema's order. */
function pairsOf(value: Schema, schema: Schema): RichTextElement[][] | undefined {
  const names = argumentLabelsOf(schema, { usesTitles: false });
  const keys = [...names.keys()].filter((key) => Object.hasOwn(value, key));
  if (keys.length !== Object.keys(value).length || keys.length > MAX_KEYS) return undefined;
  const pairs = keys.map((key) => {
    const scalar = scalarOf(value[key] ?? null);
    return scalar && [bold(key), plain(' '), scalar];
  });
  return allOf(pairs, (known) => known);
}

function allOf<Each, Result>(
  all: readonly (Each | undefined)[],
  make: (known: Each[]) => Result,
): Result | undefined {
  const known = all.filter((each) => each !== undefined);
  return known.length === all.length ? make(known) : undefined;
}

function scalarOf(value: JsonValue): RichTextElement | undefined {
  const shown = formatScalar(value);
  if (shown === undefined || shown.text.length > MAX_TEXT) return undefined;
  const { text, hidden } = toVisible(shown.text);
  if (hidden > 0 || text !== shown.text || shown.set === 'box' || /\s{2}|[\n·]/.test(text)) {
    return undefined;
  }
  const style = shown.set === 'ours' ? { italic: true } : { code: true };
  return { type: 'text', text, ...(shown.set !== 'plain' && { style }) };
}

function bold(text: string): RichTextElement {
  return { type: 'text', text, style: { bold: true } };
}

function plain(text: string): RichTextElement {
  return { type: 'text', text };
}

/** Returns the schema of one property of an object. */
export function schemaAt(schema: Schema, key: string): Schema {
  return resolveSchema(asObject(schema.properties)[key] ?? {}, createSchemaWalk(schema));
}
