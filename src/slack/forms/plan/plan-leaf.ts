/** How a single value is edited, by its schema and by what it is now. */
import { canonicalJson, type JsonValue } from '../../../domain/json/json.ts';
import { BUDGET, LIMITS } from '../../text/limits.ts';
import { printFormJson } from '../draw/form-json.ts';
import { isDate, isTime, parseDateTime } from '../read/date-time.ts';
import { EMAIL, URL_TEXT } from '../read/validate-inputs.ts';
import type { Raw, Widget } from './form-node.ts';
import { asList, type Schema, typeOf, valuesOf, variantsOf, type Walk } from './resolve-schema.ts';

/** A widget that carries the value, and what it begins with. */
export interface Leaf {
  readonly widget: Widget;
  readonly initial: Raw;
  /** What the person should know of how it is written. */
  readonly note: string;
}

/** A text field would show these as something else, or Slack would change them. */
const NOT_FOR_TEXT = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** From this length on a text gets several lines. */
const LONG = 80;

/** Tells whether a text field shows a text as it is. */
export function isForText(text: string): boolean {
  return !NOT_FOR_TEXT.test(text);
}

/** Plans a text or a number; undefined when the value needs another way. */
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

/** A text that may be long is one of several lines. */
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
  // Only a text that is there tells whether the tool wants seconds.
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

/** A bound that someone chose, not the end of what numbers can be. */
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
  const said = [...low, ...high].filter((each) => each !== false).join(', ');
  return said === '' ? '' : `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** Where each value stands first, by its text: equal values are one. */
function placesOf(values: readonly JsonValue[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, value] of values.entries()) {
    const text = canonicalJson(value);
    if (!places.has(text)) places.set(text, place);
  }
  return places;
}

/** Plans a choice of values, “not set” among them where it may be; undefined when the value is none of them. */
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
  // Where people search, nothing chosen says “not set” better than a choice.
  const isSearched = options.length > LIMITS.selectOptions && value === undefined;
  return leaf({ kind: 'choice', options }, at < 0 || isSearched ? '' : String(at));
}

/** Plans a list in one field: as chosen members of an enum, or line by line; undefined when it needs more. */
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

/** Plans the raw field, which carries anything. */
export function planJson(value: JsonValue | undefined): Leaf {
  const text = value === undefined ? '' : printFormJson(value);
  const isHard = typeof value === 'string' && !isForText(value);
  return leaf({ kind: 'json' }, text, isHard ? TEXT_AS_JSON : 'Written as JSON');
}

const TEXT_AS_JSON = 'A text with characters that can’t be seen, so it is written as JSON';

/** Tells whether a list is short enough for a group of fields for each of its entries. */
export function fitsEntries(count: number): boolean {
  return count <= BUDGET.formEntries;
}

/** The first schemas of a tuple; none for other lists. */
export function tupleOf(schema: Schema): readonly JsonValue[] {
  return asList(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []));
}
