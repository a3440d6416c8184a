/** From a tool's schema, a call's arguments and what was changed so far to the form's nodes. */
import type { Call } from '../../../domain/calls/call.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { type MaskedCall, maskingOfCall } from '../../../domain/secrets/call-secrets.ts';
import { allSecretPaths } from '../../../domain/secrets/secret-paths.ts';
import { BUDGET } from '../../text/limits.ts';
import { toPlainLine } from './form-labels.ts';
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
} from './resolve-schema.ts';

const MAX_DEPTH = 6;
/** A schema with one of these says what arguments there are. */
const SAYS_WHAT = [
  'properties',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
];

/** What of a call makes its form. */
type FormCall = Pick<Call, 'args'> & Partial<MaskedCall>;

/** Plans the form of a call's arguments. */
export function planForm(call: FormCall, tool: FormTool, draft: Draft): FormNode {
  const walk = createSchemaWalk(tool.schema);
  const read = resolveSchema(tool.schema, walk);
  const infers = !SAYS_WHAT.some((key) => Object.hasOwn(read, key));
  const planning: FormPlanning = {
    walk,
    left: BUDGET.formPlaces,
    secrets: allSecretPaths(call, tool),
    masking: maskingOfCall({ proposedArgs: call.args, ...call }, tool, { reveals: false }),
    draft,
    infers,
    plan: (spot) => planNode(spot, planning),
  };
  const spot = {
    way: '',
    path: [],
    label: typeof read.title === 'string' ? toPlainLine(read.title, 100) || 'Kind' : 'Kind',
    schema: read,
    value: JSON.parse(call.args) as JsonValue,
    required: true,
    fresh: false,
    depth: 0,
  };
  return planRoot(spot, read, planning);
}

/** Arguments are one object, or one of several kinds of them; what is neither is edited as JSON. */
function planRoot(spot: FormPosition, read: Schema, planning: FormPlanning): FormNode {
  const { walk } = planning;
  const kinds = variantsOf(read, walk).filter((kind) => (typeOf(kind) ?? 'object') === 'object');
  const [only = read] = kinds;
  const raw = () => planRaw({ ...spot, label: 'Arguments' }, read, false, planning);
  if (!isObject(spot.value)) return raw();
  if (kinds.length > 1) {
    return planUnion(spot, read, { variants: kinds, nullable: false }, planning) ?? raw();
  }
  const isPlain = isObject(only.properties) || only['x-raw'] !== true;
  return isPlain && fitsGroup(only, spot.value)
    ? planObject(spot, only, planning, { heading: false, off: undefined })
    : raw();
}

/** Plans one place. */
function planNode(given: FormPosition, planning: FormPlanning): FormNode {
  const { walk } = planning;
  const read = resolveSchema(given.schema, walk);
  const spot = given.fresh ? withDefault(given, read, walk) : given;
  const { value } = spot;
  if (isHidden(spot, given, read, planning))
    return keepUnedited(spot, value === undefined ? '' : 'secret');
  planning.left -= 1;
  if (planning.left < 0) return planRaw(spot, read, false, planning);
  const inferred = planning.infers && isUnconstrained(read) && value !== undefined;
  const variants = inferred ? [inferSchema(value)] : variantsOf(read, walk);
  const finite = variants.map(valuesOf);
  if (finite.every((each) => each !== undefined))
    return planFinite(spot, read, finite.flat(), planning);
  const isNull = (each: readonly JsonValue[] | undefined) =>
    each?.every((one) => one === null) ?? false;
  const others = variants.filter((_, i) => !isNull(finite[i]));
  const nullable = others.length < variants.length;
  const [only] = others;
  if (others.length === 1 && only !== undefined)
    return planTyped(spot, read, only, nullable, planning);
  return (
    planUnion(spot, read, { variants: others, nullable }, planning) ??
    planRaw(spot, read, nullable, planning)
  );
}

/** What a person adds is theirs to type; only what came with the call is kept from sight. */
function isHidden(
  { path }: FormPosition,
  given: FormPosition,
  read: Schema,
  planning: FormPlanning,
): boolean {
  if (given.fresh && given.value === undefined) return false;
  return isSecretPlace(path, planning.secrets) || isSecretSchema(read, planning.walk);
}

/** What was added begins with its default, and with nothing that does not fit it. */
function withDefault(spot: FormPosition, read: Schema, walk: Walk): FormPosition {
  const fits = spot.value !== undefined && schemaFitOf(read, spot.value, walk) > 0;
  return fits ? spot : { ...spot, value: read.default };
}

const VALUES_A_STEP = 10;

/** A value of which there is only one, or a choice. */
function planFinite(
  spot: FormPosition,
  read: Schema,
  values: readonly JsonValue[],
  planning: FormPlanning,
): FormNode {
  const [first] = values;
  // Each of them is looked at, in each place that takes them.
  planning.walk.left -= values.length / VALUES_A_STEP;
  if (planning.walk.left < 0) return planRaw(spot, read, false, planning);
  if (values.length === 1 && spot.required && (spot.value === first || spot.fresh)) {
    return keepUnedited({ ...spot, value: first }, '');
  }
  const isFilled = read.default !== undefined && spot.value !== undefined;
  const mayLack = (!spot.required && !isFilled) || (spot.value === undefined && !spot.fresh);
  const leaf = planChoice(values, spot.value, mayLack);
  return leaf === undefined
    ? planRaw(spot, read, values.includes(null), planning)
    : planField(spot, read, leaf, values.includes(null), planning);
}

function planTyped(
  spot: FormPosition,
  read: Schema,
  only: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const schema: Schema = { ...only, ...pick(read, ['title', 'description', 'default']) };
  const { value } = spot;
  const type = spot.depth < MAX_DEPTH ? typeOf(schema) : undefined;
  const isNone = value === undefined || value === null;
  if (type === 'object' && (isNone || isObject(value))) {
    return planNamed(spot, schema, nullable, planning, isInferred(spot, read, planning));
  }
  if (type === 'array' && (isNone || Array.isArray(value))) {
    return planArray(spot, schema, nullable, planning);
  }
  const leaf = value === null && !nullable ? undefined : planSingle(schema, value);
  if (leaf === undefined) return planRaw(spot, schema, nullable, planning);
  return planField(spot, schema, leaf, nullable, planning);
}

/** Values by name: those of an object, or entries where the names are free. */
function planNamed(
  spot: FormPosition,
  schema: Schema,
  nullable: boolean,
  planning: FormPlanning,
  inferred: boolean,
): FormNode {
  const isFixed = Object.hasOwn(schema, 'properties') || schema.additionalProperties === false;
  if (!fitsGroup(schema, spot.value)) return planRaw(spot, schema, nullable, planning);
  if (inferred || isFixed || isEnumKeyed(schema)) {
    const off = nullable && (spot.value === null || spot.required) ? null : undefined;
    return planObject(spot, schema, planning, { heading: true, off });
  }
  const entries = planEntries(spot, schema, 'record', planning);
  return entries ?? planRaw(spot, schema, nullable, planning);
}

function isInferred({ value }: FormPosition, read: Schema, planning: FormPlanning): boolean {
  return planning.infers && isUnconstrained(read) && value !== undefined;
}

function isEnumKeyed(schema: Schema): boolean {
  return isObject(schema.propertyNames) && asList(schema.propertyNames.enum).length > 0;
}

function planArray(
  spot: FormPosition,
  schema: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const { value } = spot;
  const list = asList(value);
  const leaf = planList(schema, list, planning.walk);
  const holdsSecret = containsSecretPath(spot.path, planning.secrets);
  if (leaf !== undefined && !holdsSecret) return planField(spot, schema, leaf, nullable, planning);
  const tuple = planTuple(spot, schema, planning);
  if (tuple !== undefined) return tuple;
  return planEntries(spot, schema, 'list', planning) ?? planRaw(spot, schema, nullable, planning);
}

/** Plans whatever no other field carries: as JSON, or as kept. */
function planRaw(
  spot: FormPosition,
  read: Schema,
  nullable: boolean,
  planning: FormPlanning,
): FormNode {
  const isTheirs = spot.fresh && spot.value === undefined;
  if (!isTheirs && containsSecretPath(spot.path, planning.secrets)) {
    return keepUnedited(spot, spot.value === undefined ? '' : 'a secret is in it');
  }
  return planField(spot, read, planJson(spot.value), nullable, planning);
}

function pick(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] ?? null]] : [])),
  );
}
