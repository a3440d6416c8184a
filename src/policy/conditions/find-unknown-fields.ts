/**
 * Finds arguments in a rule that none of its tools has. Such a condition always fails, and such a
 * redaction hides nothing.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.ts';
import { targetOf } from '../../domain/json/schema-size.ts';
import { MACROS } from './evaluate-cel.ts';
import { childNodesOf } from './parse-condition.ts';

export type Schema = JsonObject;

/** An argument missing from every schema, with the existing ones. */
export interface UnknownField {
  /** Character index in the condition. */
  readonly at: number;
  /** Path from the arguments, e.g. `lines.amuont`. */
  readonly path: string;
  readonly field: string;
  readonly known: readonly string[];
}

/** A part of the arguments: a schema within its document. */
interface Spot {
  readonly schema: JsonValue;
  readonly root: Schema;
}

/** What an expression refers to. `path` is empty for the arguments as a whole. */
interface Part {
  readonly spots: readonly Spot[];
  readonly path: string;
}

type Names = ReadonlyMap<string, Part | undefined>;
type Report = (found: UnknownField) => void;

const MAX_HOPS = 16;

/** Finds the fields of `args` in a condition that no schema has, each once. */
export function findUnknownFields(
  ast: ASTNode,
  schemas: readonly Schema[],
): readonly UnknownField[] {
  const found = new Map<string, UnknownField>();
  const report: Report = (each) => {
    if (!found.has(each.path)) found.set(each.path, each);
  };
  walk(ast, new Map([['args', wholeOf(schemas)]]), report);
  return [...found.values()];
}

/** Finds the first part of a dotted path that no schema has. */
export function findUnknownPath(
  path: string,
  schemas: readonly Schema[],
): UnknownField | undefined {
  let found: UnknownField | undefined;
  walkPath(path, 0, wholeOf(schemas), (each) => (found ??= each));
  return found;
}

function wholeOf(schemas: readonly Schema[]): Part {
  return { spots: schemas.map((schema) => ({ schema, root: schema })), path: '' };
}

/** Returns what an expression refers to; undefined if its fields are unknown. */
function walk(node: ASTNode, names: Names, report: Report): Part | undefined {
  switch (node.op) {
    case 'id':
      return names.get(node.args);
    case '.': {
      const [owner, field] = node.args;
      return stepInto(walk(owner, names, report), field, node.pos, report);
    }
    case '[]': {
      const [owner, key] = node.args;
      const part = walk(owner, names, report);
      walk(key, names, report);
      const field = textOf(key);
      return field === undefined ? itemsOf(part) : stepInto(part, field, key.start, report);
    }
    case 'in': {
      const [key, owner] = node.args;
      const field = textOf(key);
      const part = walk(owner, names, report);
      if (field !== undefined && part?.path === '') stepInto(part, field, key.start, report);
      walk(key, names, report);
      return undefined;
    }
    case 'rcall':
      return walkMethod(node, names, report);
    case 'call': {
      const [name, args] = node.args;
      const field = args[0] && textOf(args[0]);
      const whole = names.get('args');
      if (name === 'spent' && args[0] && field !== undefined)
        walkPath(field, args[0].start, whole, report);
      break;
    }
  }
  for (const below of childNodesOf(node)) walk(below, names, report);
  return undefined;
}

/** A macro names the items of its receiver. */
function walkMethod(
  { args: [name, receiver, args] }: Extract<ASTNode, { readonly op: 'rcall' }>,
  names: Names,
  report: Report,
): undefined {
  const part = walk(receiver, names, report);
  const [item, ...rest] = args;
  const isMacro = MACROS.has(name) && item?.op === 'id';
  const inside = isMacro ? new Map([...names, [item.args, itemsOf(part)] as const]) : names;
  for (const each of isMacro ? rest : args) walk(each, inside, report);
}

function walkPath(path: string, at: number, whole: Part | undefined, report: Report): void {
  let part = whole;
  for (const field of path.split('.')) {
    if (field === '*') return;
    part = stepInto(part, field, at, report);
  }
}

function stepInto(
  part: Part | undefined,
  field: string,
  at: number,
  report: Report,
): Part | undefined {
  if (!part) return undefined;
  const objects = part.spots.map(formsOf);
  // Values that accept any field, or are not objects, are not checked.
  if (objects.some((forms) => !forms?.some(hasFields) || forms.some(isOpen))) return undefined;
  const forms = objects.flatMap((each) => each ?? []);
  const path = part.path === '' ? field : `${part.path}.${field}`;
  const spots = forms.flatMap(({ root, schema }) => {
    const { properties } = schema;
    const isThere = isJsonObject(properties) && Object.hasOwn(properties, field);
    return isThere ? [{ root, schema: properties[field] ?? true }] : [];
  });
  if (spots.length > 0) return { spots, path };
  const known = forms.flatMap(({ schema }) =>
    isJsonObject(schema.properties) ? Object.keys(schema.properties) : [],
  );
  report({ at, path, field, known: [...new Set(known)] });
  return undefined;
}

function itemsOf(part: Part | undefined): Part | undefined {
  const spots = part?.spots.map((spot) =>
    formsOf(spot)?.flatMap(({ root, schema: { items } }) =>
      (isJsonObject(items) ? [items] : []).map((schema) => ({ root, schema })),
    ),
  );
  if (!part || !spots || spots.some((each) => each === undefined || each.length === 0))
    return undefined;
  return { spots: spots.flatMap((each) => each ?? []), path: part.path };
}

interface Form {
  readonly schema: Schema;
  readonly root: Schema;
}

/**
 * Returns the schemas that a value may have to match, references resolved; undefined if unknown.
 */
function formsOf({ root, schema }: Spot, hops = 0): readonly Form[] | undefined {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return undefined;
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) =>
    Array.isArray(list) ? (list as readonly JsonValue[]) : [],
  );
  if (typeof schema.$ref === 'string') {
    const target = targetOf(root, schema.$ref);
    if (target === undefined) return undefined;
    parts.push(target);
  }
  const forms: Form[] = parts.length === 0 || 'properties' in schema ? [{ root, schema }] : [];
  for (const each of parts) {
    const below = formsOf({ root, schema: each }, hops + 1);
    if (!below) return undefined;
    forms.push(...below);
  }
  return forms;
}

function hasFields({ schema }: Form): boolean {
  return isJsonObject(schema.properties);
}

/** Whether it accepts fields that it does not list. */
function isOpen({ schema }: Form): boolean {
  const { additionalProperties: more, patternProperties, type } = schema;
  if (more === true || isJsonObject(more) || patternProperties !== undefined) return true;
  const isOther = type !== undefined && !(Array.isArray(type) ? type : [type]).includes('object');
  return !isJsonObject(schema.properties) && !isOther;
}

function textOf(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}
