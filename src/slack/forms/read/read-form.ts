import type { JsonValue } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { asList, isObject } from '../../schema/resolve-schema.ts';
import type { Entries, Field, FormNode, Group, LineKind, Path } from '../plan/form-node.ts';
import { formatDateTime } from './date-time.ts';
import { isUntouched } from './form-draft.ts';
import { type NumberLimits, readFormNumber } from './parse-number.ts';
import { NEEDED } from './validate-inputs.ts';

/** A problem with a field, or with the arguments at a path. */
export interface FormProblem {
  /** The id of the field; undefined if only the path is known. */
  readonly id?: string;
  readonly path: Path;
  readonly message: string;
}

/** The edited arguments, or the problems. */
export type FormParseResult =
  | { readonly ok: true; readonly args: JsonValue }
  | { readonly ok: false; readonly problems: readonly FormProblem[] };

/** Reads the arguments from a form. An untouched field keeps its value byte for byte. */
export function readForm(plan: FormNode): FormParseResult {
  const problems: FormProblem[] = [];
  const args = readNode(plan, problems) ?? {};
  return problems.length === 0 ? { ok: true, args } : { ok: false, problems };
}

type Value = JsonValue | undefined;

function readNode(node: FormNode, problems: FormProblem[]): Value {
  switch (node.type) {
    case 'field':
      return readField(node, problems);
    case 'kept':
      return node.value;
    case 'group':
      return readGroup(node, problems);
    case 'entries':
      return readEntries(node, problems);
    case 'union':
      return readNode(node.node, problems);
  }
}

function readGroup(node: Group, problems: FormProblem[]): Value {
  if (!node.present) return node.off;
  const values = node.children.map(
    ({ key, node: child }) => [key, readNode(child, problems)] as const,
  );
  if (node.of === 'tuple') return values.map(([, value]) => value ?? null);
  return Object.fromEntries(
    values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function readEntries(node: Entries, problems: FormProblem[]): Value {
  const { value, items } = node;
  const isNothing = !Array.isArray(value) && !isObject(value);
  if (isNothing && items.length === 0 && !node.changed) return value;
  const values = items.map((item) => readNode(item.node, problems));
  if (node.of === 'list') return values.map((each) => each ?? null);
  const names = items.map(({ name, key }) => (name === undefined ? key : readName(name, problems)));
  for (const [i, { name }] of items.entries()) {
    if (name !== undefined && names.indexOf(names[i] ?? '') < i) {
      problems.push({ id: name.id, path: name.path, message: 'Another entry has this name.' });
    }
  }
  return Object.fromEntries(
    values.flatMap((each, i) => (each === undefined ? [] : [[names[i] ?? '', each]])),
  );
}

function readName(name: Field, problems: FormProblem[]): string {
  const value = readField(name, problems);
  return typeof value === 'string' ? value : '';
}

function readField(field: Field, problems: FormProblem[]): Value {
  const { typed, value, widget, id, path } = field;
  if (typed === undefined || isUntouched(field, typed)) return readUntouched(field, problems);
  const report = (message: string): Value => {
    problems.push({ id, path, message });
    return value;
  };
  if (typed.length === 0 && widget.kind !== 'choice') return readEmpty(field, report);
  if (typeof typed !== 'string') return readMany(field, typed, report);
  switch (widget.kind) {
    case 'choice':
      return readChoice(widget.options, typed, report);
    case 'number':
      return readNumber(typed, widget, report);
    case 'moment':
      return /^[1-9][0-9]{9}$/.test(typed)
        ? formatDateTime({ epochS: Number(typed), ...widget })
        : report('Choose a date and a time.');
    case 'lines':
      return readLines(typed, widget.item, { initial: field.initial, report });
    case 'json':
      return readJson(typed, report);
    default:
      return typed;
  }
}

type Report = (message: string) => Value;

/** Only values added in the form can be missing; the others were accepted before. */
function readUntouched(field: Field, problems: FormProblem[]): Value {
  const { value, empty, widget, id, path } = field;
  if (value !== undefined || empty !== 'refused') {
    return value === undefined && empty !== 'refused' ? empty.value : value;
  }
  if (widget.kind === 'choice' && widget.options.includes(undefined)) return undefined;
  problems.push({ id, path, message: NEEDED });
  return undefined;
}

function readEmpty({ empty }: Field, report: Report): Value {
  return empty === 'refused' ? report(NEEDED) : empty.value;
}

function readChoice(options: readonly Value[], typed: string, report: Report): Value {
  if (typed === '') return options.includes(undefined) ? undefined : report(NEEDED);
  const index = indexOf(typed);
  return index < options.length ? options[index] : report('Choose from the list.');
}

/** Parses the index of an option; infinity for anything else. */
function indexOf(text: string): number {
  return /^(?:0|[1-9][0-9]{0,5})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Options that stay selected keep their order; new ones follow in list order. */
function readMany({ widget, initial }: Field, typed: readonly string[], report: Report): Value {
  const options = widget.kind === 'many' ? widget.options : [];
  const known = typed.every((each) => indexOf(each) < options.length);
  if (!known) return report('Choose from the list.');
  const before = typeof initial === 'string' ? [] : initial;
  const kept = before.filter((each) => typed.includes(each));
  const added = [...new Set(typed)].filter((each) => !before.includes(each)).map(Number);
  const indexes = [...kept.map(Number), ...added.sort((a, b) => a - b)];
  return indexes.flatMap((place) => asList(options.slice(place, place + 1)));
}

function readNumber(typed: string, limits: NumberLimits, report: Report): Value {
  const reading = readFormNumber(typed, limits);
  return reading.ok ? reading.value : report(reading.message);
}

function readLines(
  typed: string,
  item: LineKind,
  { initial, report }: Pick<Field, 'initial'> & { readonly report: Report },
): Value {
  const lines = typed.split('\n').filter((line) => line.trim() !== '');
  if (item === 'string') return lines;
  const drawn = new Set(typeof initial === 'string' ? initial.split('\n') : initial);
  const values: number[] = [];
  for (const [at, line] of lines.entries()) {
    // An unchanged line keeps its value, like an untouched field.
    if (drawn.has(line)) {
      values.push(Number(line));
      continue;
    }
    // People indent lists, so ignore blanks around a line.
    const text = line.replace(/^[ \t]+|[ \t]+$/g, '');
    const reading = readFormNumber(text, { integer: item === 'integer' });
    if (!reading.ok) return report(`Line ${at + 1}: ${reading.message}`);
    values.push(reading.value);
  }
  return values;
}

function readJson(typed: string, report: Report): Value {
  const parsed = parseStrictJson(typed);
  if (parsed.ok) return parsed.value;
  return report(`Line ${parsed.line}, column ${parsed.column}: ${parsed.reason}`);
}
