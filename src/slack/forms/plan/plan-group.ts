import type { JsonValue } from '../../../domain/json/json.ts';
import { describeField } from '../../schema/field-labels.ts';
import { asList, asObject, isObject, type Schema } from '../../schema/resolve-schema.ts';
import { BUDGET } from '../../text/limits.ts';
import type { FormNode, Group } from './form-node.ts';
import {
  childPath,
  type FormPlanning,
  type FormPosition,
  formNodeId,
  propertyPosition,
} from './plan-context.ts';
import { fitsEntries, tupleOf } from './plan-leaf.ts';

/** Tells whether an object is small enough for a group of fields. */
export function fitsGroup(schema: Schema, value: JsonValue | undefined): boolean {
  const { enum: names } = asObject(schema.propertyNames);
  const known = Object.keys(asObject(schema.properties)).length + asList(names).length;
  return Math.max(known, Object.keys(asObject(value)).length) <= BUDGET.formPlaces;
}

/** Plans an object: its properties in the schema's order, then the value's other keys. */
export function planObject(
  position: FormPosition,
  schema: Schema,
  planning: FormPlanning,
  { heading, off }: { readonly heading: boolean; readonly off: JsonValue | undefined },
): Group {
  const { value, required, fresh } = position;
  const id = formNodeId(position.idPath, 'group');
  const wasPresent = isObject(value) || (fresh && required && value === undefined);
  const { [id]: toggled } = planning.draft.present;
  const present = toggled ?? wasPresent;
  const isNew = present && !wasPresent;
  const entries = isObject(value) ? value : {};
  const inner = { ...position, fresh: fresh || isNew };
  const children = present ? planProperties(inner, schema, entries, planning) : [];
  return {
    type: 'group',
    of: 'object',
    id,
    path: position.path,
    label: position.label,
    hint: describeField(schema),
    heading,
    off: wasPresent ? off : (value as JsonValue | undefined),
    present,
    mayToggle: heading && (!required || off === null || !wasPresent),
    children,
  };
}

function planProperties(
  position: FormPosition,
  schema: Schema,
  entries: Schema,
  planning: FormPlanning,
): readonly { readonly key: string; readonly node: FormNode }[] {
  const properties = propertiesOf(schema);
  const needed = new Set(asList(schema.required));
  const known = Object.keys(properties);
  // After a change of variant, other keys belong to the previous variant.
  const more = position.fresh
    ? []
    : Object.keys(entries).filter((key) => !Object.hasOwn(properties, key));
  return [...known, ...more].map((key) => {
    const value = Object.hasOwn(entries, key) ? entries[key] : undefined;
    const own = Object.hasOwn(properties, key) ? properties[key] : extraOf(schema, planning);
    const place = {
      ...propertyPosition(position, key, own, value, planning),
      required: needed.has(key),
    };
    return { key, node: planning.plan(place) };
  });
}

/** Treats the keys of an enum as properties. */
function propertiesOf(schema: Schema): Schema {
  const properties = asObject(schema.properties);
  const names = asList(asObject(schema.propertyNames).enum).map(String);
  const named = names.map((name) => [name, schema.additionalProperties ?? true] as const);
  return { ...Object.fromEntries(named), ...properties };
}

function extraOf(schema: Schema, planning: FormPlanning): JsonValue {
  const { additionalProperties: more } = schema;
  return isObject(more) || planning.infers ? (more ?? {}) : { 'x-raw': true };
}

/** Plans a tuple; undefined if the value has another length. */
export function planTuple(
  position: FormPosition,
  schema: Schema,
  planning: FormPlanning,
): Group | undefined {
  const schemas = tupleOf(schema);
  const { value, required, fresh } = position;
  const isThere = Array.isArray(value);
  const isNew = fresh && required && value === undefined;
  if (schemas.length === 0 || (!isThere && !isNew) || !fitsEntries(schemas.length))
    return undefined;
  if (isThere && value.length !== schemas.length) return undefined;
  const children = schemas.map((each, i) => {
    const item = isThere ? (value as readonly JsonValue[])[i] : undefined;
    const place = propertyPosition(position, String(i), each, item, planning);
    const label =
      typeof asObject(each).title === 'string' ? place.label : `${position.label} ${i + 1}`;
    const at = { ...place, label, path: [...position.path, i], required: true };
    return { key: String(i), node: planning.plan(at) };
  });
  return {
    type: 'group',
    of: 'tuple',
    id: formNodeId(childPath(position.idPath, 'tuple'), 'group'),
    path: position.path,
    label: position.label,
    hint: describeField(schema),
    heading: true,
    off: undefined,
    present: true,
    mayToggle: false,
    children,
  };
}
