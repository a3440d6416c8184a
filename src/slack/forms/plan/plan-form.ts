/** Plans the nodes of a form from the tool's schema, the call's arguments and the draft. */
import type { Call } from '../../../domain/calls/call.ts';
import { type MaskedCall, maskingOfCall } from '../../../domain/calls/call-secrets.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { allSecretPaths } from '../../../domain/secrets/secret-paths.ts';
import { toPlainLine } from '../../schema/field-labels.ts';
import {
  asList,
  createSchemaWalk,
  inferSchema,
  isObject,
  isUnconstrained,
  resolveSchema,
  type Schema,
  typeOf,
  valuesOf,
  variantsOf,
  type Walk,
} from '../../schema/resolve-schema.ts';
import { BUDGET } from '../../text/limits.ts';
import type { Draft, FormNode } from './form-node.ts';
import { containsSecretPath, isSecretPlace, isSecretSchema } from './form-secrets.ts';
import { schemaFitOf } from './match-variant.ts';
import {
  type FormPlanning,
  type FormPosition,
  type FormTool,
  keepUnedited,
} from './plan-context.ts';
import { planEntries } from './plan-entries.ts';
import { planField } from './plan-field.ts';
import { fitsGroup, planObject, planTuple } from './plan-group.ts';
import { planChoice, planJson, planList, planSingle } from './plan-leaf.ts';
import { planUnion } from './plan-union.ts';

const MAX_DEPTH = 6;
/** A schema with one of these keywords declares its arguments. */
const DECLARING_KEYWORDS = [
  'properties',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
];

/** The parts of a call that a form needs. */
type FormCall = Pick<Call, 'args'> & Partial<MaskedCall>;

export function planForm(call: FormCall, tool: FormTool, draft: Draft): FormNode {
  const walk = createSchemaWalk(tool.schema);
  const read = resolveSchema(tool.schema, walk);
  const infers = !DECLARING_KEYWORDS.some((key) => Object.hasOwn(read, key));
  const planning: FormPlanning = {
    walk,
    left: BUDGET.formPlaces,
    secrets: allSecretPaths(call, tool),
    masking: maskingOfCall({ proposedArgs: call.args, ...call }, tool, { reveals: false }),
    draft,
    infers,
    plan: (position) => planNode(position, planning),
  };
  const position = {
    idPath: '',
    path: [],
    label: typeof read.title === 'string' ? toPlainLine(read.title, 100) || 'Kind' : 'Kind',
    schema: read,
    value: JSON.parse(call.args) as JsonValue,
    required: true,
    fresh: false,
    depth: 0,
  };
  return planRoot(position, read, planning);
}

/** Plans the root: one object, or a union of objects. Anything else is edited as JSON. */
function planRoot(position: FormPosition, read: Schema, planning: FormPlanning): FormNode {
  const { walk } = planning;
  const kinds = variantsOf(read, walk).filter((kind) => (typeOf(kind) ?? 'object') === 'object');
  const [only = read] = kinds;
  const raw = () => planRaw({ ...position, label: 'Arguments' }, read, false, planning);
  if (!isObject(position.value)) return raw();
  if (kinds.length > 1) {
    return planUnion(position, read, { variants: kinds, nullable: false }, planning) ?? raw();
  }
  const isPlain = isObject(only.properties) || only['x-raw'] !== true;
  return isPlain && fitsGroup(only, position.value)
    ? planObject(position, only, planning, { heading: false, off: undefined })
    : raw();
}

function planNode(given: FormPosition, planning: FormPlanning): FormNode {
  const { walk } = planning;
  const read = resolveSchema(given.schema, walk);
  const position = given.fresh ? withDefault(given, read, walk) : given;
  const { value } = position;
  if (isHidden(position, given, read, planning))
    return keepUnedited(position, value === undefined ? '' : 'secret');
  planning.left -= 1;
  if (planning.left < 0) return planRaw(position, read, false, planning);
  const inferred = planning.infers && isUnconstrained(read) && value !== undefined;
  const variants = inferred ? [inferSchema(value)] : variantsOf(read, walk);
  const finite = variants.map(valuesOf);
  if (finite.every((each) => each !== undefined))
    return planFinite(position, read, finite.flat(), planning);
  const isNull = (each: readonly JsonValue[] | undefined) =>
    each?.every((one) => one === null) ?? false;
  const others = variants.filter((_, i) => !isNull(finite[i]));
  const nullable = others.length < variants.length;
  const [only] = others;
  if (others.length === 1 && only !== undefined)
    return planTyped(position, read, only, nullable, planning);
  return (
    planUnion(position, read, { variants: others, nullable }, planning) ??
    planRaw(position, read, nullable, planning)
  );
}

/** Values that came with the call can be secret; values added by the person are not. */
function isHidden(
  { path }: FormPosition,
  given: FormPosition,
  read: Schema,
  planning: FormPlanning,
): boolean {
  if (given.fresh && given.value === undefined) return false;
  return isSecretPlace(path, planning.secrets) || isSecretSchema(read, planning.walk);
}

/** An added value starts with its default, and never with a value that does not fit its schema. */
function withDefault(position: FormPosition, read: Schema, walk: Walk): FormPosition {
  const fits = position.value !== undefined && schemaFitOf(read, position.value, walk) > 0;
  return fits ? position : { ...position, value: read.default };
}

const VALUES_PER_STEP = 10;

/** Plans a value with a finite set of values: a constant or a choice. */
function planFinite(
  position: FormPosition,
  read: Schema,
  values: readonly JsonValue[],
  planning: FormPlanning,
): FormNode {
  const [first] = values;
  // Every value is checked at every position, so it counts against the limit.
  planning.walk.left -= values.length / VALUES_PER_STEP;
  if (planning.walk.left < 0) return planRaw(position, read, false, planning);
  if (values.length === 1 && position.required && (position.value === first || position.fresh)) {
    return keepUnedited({ ...position, value: first }, '');
  }
  const isFilled = read.default !== undefined && position.value !== undefined;
  const mayBeUnset =
    (!position.required && !isFilled) || (position.value === undefined && !position.fresh);
  const leaf = planChoice(values, position.value, mayBeUnset);
  return leaf === undefined
    ? planRaw(position, read, values.includes(null), planning)
    : planField(position, read, leaf, values.includes(null), planning);
}

function planTyped(
  position: FormPosition,
  read: Schema,
  only: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const schema: Schema = { ...only, ...pick(read, ['title', 'description', 'default']) };
  const { value } = position;
  const type = position.depth < MAX_DEPTH ? typeOf(schema) : undefined;
  const isNone = value === undefined || value === null;
  if (type === 'object' && (isNone || isObject(value))) {
    return planNamed(position, schema, nullable, planning, isInferred(position, read, planning));
  }
  if (type === 'array' && (isNone || Array.isArray(value))) {
    return planArray(position, schema, nullable, planning);
  }
  const leaf = value === null && !nullable ? undefined : planSingle(schema, value);
  if (leaf === undefined) return planRaw(position, schema, nullable, planning);
  return planField(position, schema, leaf, nullable, planning);
}

/** Plans an object: a group of fields, or entries if its keys are free. */
function planNamed(
  position: FormPosition,
  schema: Schema,
  nullable: boolean,
  planning: FormPlanning,
  inferred: boolean,
): FormNode {
  const isFixed = Object.hasOwn(schema, 'properties') || schema.additionalProperties === false;
  if (!fitsGroup(schema, position.value)) return planRaw(position, schema, nullable, planning);
  if (inferred || isFixed || isEnumKeyed(schema)) {
    const off = nullable && (position.value === null || position.required) ? null : undefined;
    return planObject(position, schema, planning, { heading: true, off });
  }
  const entries = planEntries(position, schema, 'record', planning);
  return entries ?? planRaw(position, schema, nullable, planning);
}

function isInferred({ value }: FormPosition, read: Schema, planning: FormPlanning): boolean {
  return planning.infers && isUnconstrained(read) && value !== undefined;
}

function isEnumKeyed(schema: Schema): boolean {
  return isObject(schema.propertyNames) && asList(schema.propertyNames.enum).length > 0;
}

function planArray(
  position: FormPosition,
  schema: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const { value } = position;
  const list = asList(value);
  const leaf = planList(schema, list, planning.walk);
  const holdsSecret = containsSecretPath(position.path, planning.secrets);
  if (leaf !== undefined && !holdsSecret)
    return planField(position, schema, leaf, nullable, planning);
  const tuple = planTuple(position, schema, planning);
  if (tuple !== undefined) return tuple;
  return (
    planEntries(position, schema, 'list', planning) ?? planRaw(position, schema, nullable, planning)
  );
}

/** Plans a value that no other field can edit: as JSON, or unedited. */
function planRaw(
  position: FormPosition,
  read: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const isAdded = position.fresh && position.value === undefined;
  if (!isAdded && containsSecretPath(position.path, planning.secrets)) {
    return keepUnedited(position, position.value === undefined ? '' : 'it contains a secret');
  }
  return planField(position, read, planJson(position.value), nullable, planning);
}

function pick(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] ?? null]] : [])),
  );
}
