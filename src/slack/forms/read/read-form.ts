import type { JsonValue } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { Entries, Field, FormNode, Group, LineKind, Path } from '../plan/form-node.ts';
import { asList, isObject } from '../plan/resolve-schema.ts';
import { formatDateTime } from './date-time.ts';
import { isUntouched } from './form-draft.ts';
import { type NumberLimits, readFormNumber } from './parse-number.ts';
import { NEEDED } from './validate-inputs.ts';

/** What is wrong in a field, or with the arguments at a path. */
export interface FormProblem {
  /** The field that is wrong; undefined where only the path is known. */
  readonly id?: string;
  readonly path: Path;
  readonly message: string;
}

/** The arguments as the form left them, or what is wrong in it. */
export type FormParseResult =
  | { readonly ok: true; readonly args: JsonValue }
  | { readonly ok: false; readonly problems: readonly FormProblem[] };

/** Reads a form: a field left as it was keeps its value to the byte, whatever its text. */
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
  const wrong = (message: string): Value => {
    problems.push({ id, path, message });
    return value;
  };
  if (typed.length === 0 && widget.kind !== 'choice') return readEmpty(field, wrong);
  if (typeof typed !== 'string') return readMany(field, typed, wrong);
  switch (widget.kind) {
    case 'choice':
      return readChoice(widget.options, typed, wrong);
    case 'number':
      return readNumber(typed, widget, wrong);
    case 'moment':
      return /^[1-9][0-9]{9}$/.test(typed)
        ? formatDateTime({ epochS: Number(typed), ...widget })
        : wrong('Choose a date and a time.');
    case 'lines':
      return readLines(typed, widget.item, { initial: field.initial, wrong });
    case 'json':
      return readJson(typed, wrong);
    default:
      return typed;
  }
}

type Wrong = (message: string) => Value;

/** Only what was added in the form can lack what it needs: the rest was accepted as it is. */
function readUntouched(field: Field, problems: FormProblem[]): Value {
  const { value, empty, widget, id, path } = field;
  if (value !== undefined || empty !== 'refused') {
    return value === undefined && empty !== 'refused' ? empty.value : value;
  }
  if (widget.kind === 'choice' && widget.options.includes(undefined)) return undefined;
  problems.push({ id, path, message: NEEDED });
  return undefined;
}

function readEmpty({ empty }: Field, wrong: Wrong): Value {
  return empty === 'refused' ? wrong(NEEDED) : empty.value;
}

function readChoice(options: readonly Value[], typed: string, wrong: Wrong): Value {
  if (typed === '') return options.includes(undefined) ? undefined : wrong(NEEDED);
  const index = placeOf(typed);
  return index < options.length ? options[index] : wrong('Choose one of the list.');
}

/** Reads the place of an option as it was drawn; no place for anything else. */
function placeOf(text: string): number {
  return /^(?:0|[1-9][0-9]{0,5})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Members that stay keep their order; new ones follow in the order of the list. */
function readMany({ widget, initial }: Field, typed: readonly string[], wrong: Wrong): Value {
  const options = widget.kind === 'many' ? widget.options : [];
  const known = typed.every((each) => placeOf(each) < options.length);
  if (!known) return wrong('Choose from the list.');
  const before = typeof initial === 'string' ? [] : initial;
  const stay = before.filter((each) => typed.includes(each));
  const added = [...new Set(typed)].filter((each) => !before.includes(each)).map(Number);
  const places = [...stay.map(Number), ...added.sort((a, b) => a - b)];
  return places.flatMap((place) => asList(options.slice(place, place + 1)));
}

function readNumber(typed: string, limits: NumberLimits, wrong: Wrong): Value {
  const reading = readFormNumber(typed, limits);
  return reading.ok ? reading.value : wrong(reading.message);
}

function readLines(
  typed: string,
  item: LineKind,
  { initial, wrong }: Pick<Field, 'initial'> & { readonly wrong: Wrong },
): Value {
  const lines = typed.split('\n').filter((line) => line.trim() !== '');
  if (item === 'string') return lines;
  const drawn = new Set(typeof initial === 'string' ? initial.split('\n') : initial);
  const values: number[] = [];
  for (const [at, line] of lines.entries()) {
    // A line that was left as it was drawn keeps its value, as an untouched field does.
    if (drawn.has(line)) {
      values.push(Number(line));
      continue;
    }
    // Blanks around a line are how people lay out a list.
    const text = line.replace(/^[ \t]+|[ \t]+$/g, '');
    const reading = readFormNumber(text, { integer: item === 'integer' });
    if (!reading.ok) return wrong(`Line ${at + 1}: ${reading.message}`);
    values.push(reading.value);
  }
  return values;
}

function readJson(typed: string, wrong: Wrong): Value {
  const parsed = parseStrictJson(typed);
  if (parsed.ok) return parsed.value;
  return wrong(`Line ${parsed.line}, column ${parsed.column}: ${parsed.reason}`);
}
