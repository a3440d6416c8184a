/** Chooses the control for a single value, from its schema and its current value. */
import { canonicalJson, type JsonValue } from '../../../domain/json/json.ts';
import {
  asList,
  type Schema,
  typeOf,
  valuesOf,
  variantsOf,
  type Walk,
} from '../../schema/resolve-schema.ts';
import { BUDGET, LIMITS } from '../../text/limits.ts';
import { printFormJson } from '../draw/form-json.ts';
import { isDate, isTime, parseDateTime } from '../read/date-time.ts';
import { EMAIL, URL_TEXT } from '../read/validate-inputs.ts';
import type { Raw, Widget } from './form-node.ts';

/** A control that can show the value, and its initial content. */
export interface Leaf {
  readonly widget: Widget;
  readonly initial: Raw;
  /** A hint about the format. */
  readonly note: string;
}

/** Characters that a text field would not show, or that Slack would change. */
const NOT_FOR_TEXT = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Longer texts get several lines. */
const LONG = 80;

/** Tells whether a text field shows a text unchanged. */
export function isForText(text: string): boolean {
  return !NOT_FOR_TEXT.test(text);
}

/** Plans a text or number; undefined if the value needs another control. */
export function planSingle(schema: Schema, value: JsonValue | undefined): Leaf | undefined {
  const type = typeOf(schema);
  if (type === 'string') {
    if (value === null || value === undefined) return planText(schema, '');
    return typeof value === 'string' && isForText(value) ? planText(schema, value) : undefined;
  }
  if (type !== 'number' && type !== 'integer') return undefined;
  if (value === null || value === undefined) return planNumber(schema, '');
  return typeof value === 'number' ? planNumber(schema, JSON.stringify(value)) : undefined;
}

function planText(schema: Schema, text: string): Leaf {
  const special = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  const leaf = special?.(text);
  if (leaf !== undefined) return leaf;
  const { maxLength } = schema;
  const fits = typeof maxLength === 'number' && maxLength >= Math.max(1, text.length);
  const max = fits ? Math.min(Math.floor(maxLength), LIMITS.inputText) : LIMITS.inputText;
  const isLong = text.includes('\n') || text.length > LONG || (text === '' && isProse(schema));
  const note = FORMAT_NOTES[String(schema.format)] ?? '';
  return { widget: { kind: 'text', multiline: isLong, max }, initial: text, note };
}

/** Tells whether an empty text may become long and should get several lines. */
function isProse({ maxLength, format, pattern }: Schema): boolean {
  const isFree = format === undefined && pattern === undefined;
  return isFree && typeof maxLength === 'number' && maxLength > 2 * LONG;
}

const FORMAT_NOTES: Readonly<Record<string, string>> = {
  time: 'A time, such as 14:30:00',
  date: 'A date, such as 2026-12-31',
  'date-time': 'A date and time, such as 2026-12-31T14:30:00Z',
};

const FORMATS: Readonly<Record<string, (text: string) => Leaf | undefined>> = {
  email: (text) => (text === '' || EMAIL.test(text) ? leaf({ kind: 'email' }, text) : undefined),
  uri: planUrl,
  url: planUrl,
  date: (text) => (text === '' || isDate(text) ? leaf({ kind: 'date' }, text) : undefined),
  // Without a value it is unknown whether the tool wants seconds.
  time: (text) => (isTime(text) ? leaf({ kind: 'time' }, text) : undefined),
  'date-time': (text) => {
    if (text === '') return leaf({ kind: 'moment', offset: 'Z', seconds: ':00' }, '');
    const moment = parseDateTime(text);
    if (moment === undefined) return undefined;
    const { epochS, offset, seconds } = moment;
    return leaf({ kind: 'moment', offset, seconds }, String(epochS));
  },
};

function planUrl(text: string): Leaf | undefined {
  return text === '' || URL_TEXT.test(text) ? leaf({ kind: 'url' }, text) : undefined;
}

function leaf(widget: Widget, initial: Raw, note = ''): Leaf {
  return { widget, initial, note };
}

function planNumber(schema: Schema, text: string): Leaf {
  const integer = typeOf(schema) === 'integer';
  const { minimum: min, maximum: max } = schema;
  const widget: Widget = {
    kind: 'number',
    integer,
    ...(isBound(min) && { min }),
    ...(isBound(max) && { max }),
  };
  return leaf(widget, text, describeBounds(schema));
}

/** Tells whether a bound was chosen by someone, and is not just the limit of numbers. */
function isBound(bound: JsonValue | undefined): bound is number {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

function describeBounds(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = [
    isBound(minimum) && `at least ${minimum}`,
    isBound(exclusiveMinimum) && `more than ${exclusiveMinimum}`,
  ];
  const high = [
    isBound(maximum) && `at most ${maximum}`,
    isBound(exclusiveMaximum) && `less than ${exclusiveMaximum}`,
  ];
  const bounds = [...low, ...high].filter((each) => each !== false).join(', ');
  return bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}`;
}

/** Maps each distinct value, as canonical JSON, to its first index. */
function placesOf(values: readonly JsonValue[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, value] of values.entries()) {
    const text = canonicalJson(value);
    if (!places.has(text)) places.set(text, place);
  }
  return places;
}

/**
 * Plans a choice; undefined if the current value is not an option. With `mayLack`, “not set” is an
 * option.
 */
export function planChoice(
  values: readonly JsonValue[],
  value: JsonValue | undefined,
  mayLack: boolean,
): Leaf | undefined {
  const places = placesOf(values);
  const own = [...places.values()].map((place) => values[place] ?? null);
  const options = mayLack ? [...own, undefined] : own;
  const at =
    value === undefined ? options.indexOf(value) : [...places.keys()].indexOf(canonicalJson(value));
  if (at < 0 && value !== undefined) return undefined;
  // In a searched list, an empty selection is clearer than a “not set” option.
  const isSearched = options.length > LIMITS.selectOptions && value === undefined;
  return leaf({ kind: 'choice', options }, at < 0 || isSearched ? '' : String(at));
}

/** Plans a list in one field: as selected options, or line by line; undefined if it needs more. */
export function planList(
  schema: Schema,
  value: readonly JsonValue[],
  walk: Walk,
): Leaf | undefined {
  if (schema.prefixItems !== undefined || schema.items === undefined || Array.isArray(schema.items))
    return undefined;
  const variants = variantsOf(schema.items, walk);
  const values = variants.map(valuesOf);
  if (values.every((each) => each !== undefined)) return planMany(values.flat(), value);
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? planLines(only, value) : undefined;
}

function planMany(values: readonly JsonValue[], value: readonly JsonValue[]): Leaf | undefined {
  if (value.length > LIMITS.selectOptions) return undefined;
  const own = placesOf(values);
  const options = [...own.values()].map((place) => values[place] ?? null);
  const texts = [...own.keys()];
  const places = value.map((each) => texts.indexOf(canonicalJson(each)));
  const isSet = !places.includes(-1) && new Set(places).size === places.length;
  if (!isSet) return undefined;
  return leaf({ kind: 'many', options }, places.map(String));
}

function planLines(item: Schema, value: readonly JsonValue[]): Leaf | undefined {
  const type = typeOf(item);
  const isText = type === 'string';
  if (type !== 'string' && type !== 'number' && type !== 'integer') return undefined;
  const lines = value.map((each) => lineOf(each, isText));
  if (lines.includes(undefined) || lines.join('\n').length > LIMITS.inputText) return undefined;
  return leaf(
    { kind: 'lines', item: type },
    lines.join('\n'),
    isText ? 'One per line' : 'One number per line',
  );
}

const MAX_LINE = 400;

function lineOf(value: JsonValue, isText: boolean): string | undefined {
  if (!isText) return typeof value === 'number' ? JSON.stringify(value) : undefined;
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_LINE) return undefined;
  return isForText(value) && !value.includes('\n') ? value : undefined;
}

/** Plans a JSON field, which can hold any value. */
export function planJson(value: JsonValue | undefined): Leaf {
  const text = value === undefined ? '' : printFormJson(value);
  const hasInvisible = typeof value === 'string' && !isForText(value);
  return leaf({ kind: 'json' }, text, hasInvisible ? TEXT_AS_JSON : 'Written as JSON');
}

const TEXT_AS_JSON = 'Text with invisible characters, so it is written as JSON';

/** Tells whether a list is short enough to give each entry its own fields. */
export function fitsEntries(count: number): boolean {
  return count <= BUDGET.formEntries;
}

/** Returns the schemas of a tuple's items; empty for other lists. */
export function tupleOf(schema: Schema): readonly JsonValue[] {
  return asList(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []));
}
