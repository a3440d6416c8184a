/** From a tool's schema, a call's arguments and what was changed so far to the form's nodes. */
import type { Call } from '../../domain/call.ts';
import type { JsonValue } from '../../domain/json.ts';
import { maskTokens } from '../cards/mask-secrets.ts';
import { LIMITS } from '../limits.ts';
import { fitOf } from './could-be.ts';
import { describe, joinHints, toLine } from './form-labels.ts';
import type { Draft, Field, FormNode, Group, Kept, Path } from './form-node.ts';
import {
  holdsSecretPath,
  isSecretPlace,
  isSecretSchema,
  LOOK_ALIKES_ONLY,
} from './form-secrets.ts';
import { type FormTool, idOf, keep, type Planning, type Spot } from './form-spot.ts';
import {
  asList,
  inferSchema,
  isObject,
  resolveSchema,
  type Schema,
  saysNothing,
  typeOf,
  valuesOf,
  variantsOf,
} from './json-schema.ts';
import { planEntries } from './plan-entries.ts';
import { planObject, planTuple } from './plan-group.ts';
import { type Leaf, planChoice, planJson, planList, planSingle } from './plan-leaf.ts';
import { planUnion } from './plan-union.ts';

const MAX_DEPTH = 6;

/** Plans the form of a call's arguments. */
export function planForm(call: Pick<Call, 'args'>, tool: FormTool, draft: Draft): Group {
  const root = tool.schema;
  const read = resolveSchema(root, root);
  const says = ['properties', 'additionalProperties', 'patternProperties', 'propertyNames'];
  const infers = !says.some((key) => Object.hasOwn(read, key));
  const planning: Planning = {
    root,
    secrets: tool.secrets,
    draft,
    infers,
    plan: (spot) => planNode(spot, planning),
  };
  const args = JSON.parse(call.args) as JsonValue;
  const value = isObject(args) ? args : {};
  const spot = {
    way: '',
    path: [],
    label: '',
    schema: read,
    value,
    required: true,
    fresh: false,
    depth: 0,
  };
  return planObject(spot, read, planning, { heading: false, off: undefined });
}

/** Plans one place. */
function planNode(given: Spot, planning: Planning): FormNode {
  const { root } = planning;
  const read = resolveSchema(given.schema, root);
  const spot = given.fresh ? withDefault(given, read, root) : given;
  const { value } = spot;
  if (isHidden(spot, given, read, planning)) return keep(spot, value === undefined ? '' : 'secret');
  const inferred = planning.infers && saysNothing(read) && value !== undefined;
  const variants = inferred ? [inferSchema(value)] : variantsOf(read, root);
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
function isHidden({ path }: Spot, given: Spot, read: Schema, planning: Planning): boolean {
  if (given.fresh && given.value === undefined) return false;
  return isSecretPlace(path, planning.secrets) || isSecretSchema(read, planning.root);
}

/** What was added begins with its default, and with nothing that does not fit it. */
function withDefault(spot: Spot, read: Schema, root: Schema): Spot {
  const fits = spot.value !== undefined && fitOf(read, spot.value, root) > 0;
  return fits ? spot : { ...spot, value: read.default };
}

/** A value of which there is only one, or a choice. */
function planFinite(
  spot: Spot,
  read: Schema,
  values: readonly JsonValue[],
  planning: Planning,
): FormNode {
  const [first] = values;
  if (values.length === 1 && spot.required && (spot.value === first || spot.fresh)) {
    return keep({ ...spot, value: first }, '');
  }
  const isFilled = read.default !== undefined && spot.value !== undefined;
  const mayLack = (!spot.required && !isFilled) || (spot.value === undefined && !spot.fresh);
  const leaf = planChoice(values, spot.value, mayLack);
  return leaf === undefined
    ? planRaw(spot, read, values.includes(null), planning)
    : toField(spot, read, leaf, values.includes(null), planning);
}

function planTyped(
  spot: Spot,
  read: Schema,
  only: Schema,
  nullable: boolean,
  planning: Planning,
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
  return toField(spot, schema, leaf, nullable, planning);
}

/** Values by name: those of an object, or entries where the names are free. */
function planNamed(
  spot: Spot,
  schema: Schema,
  nullable: boolean,
  planning: Planning,
  inferred: boolean,
): FormNode {
  const isFixed = Object.hasOwn(schema, 'properties') || schema.additionalProperties === false;
  if (inferred || isFixed || isEnumKeyed(schema)) {
    const off = nullable && (spot.value === null || spot.required) ? null : undefined;
    return planObject(spot, schema, planning, { heading: true, off });
  }
  const entries = planEntries(spot, schema, 'record', planning);
  return entries ?? planRaw(spot, schema, nullable, planning);
}

function isInferred({ value }: Spot, read: Schema, planning: Planning): boolean {
  return planning.infers && saysNothing(read) && value !== undefined;
}

function isEnumKeyed(schema: Schema): boolean {
  return isObject(schema.propertyNames) && asList(schema.propertyNames.enum).length > 0;
}

function planArray(spot: Spot, schema: Schema, nullable: boolean, planning: Planning): FormNode {
  const { value } = spot;
  const list = asList(value);
  const leaf = planList(schema, list, planning.root);
  const holdsSecret = holdsSecretPath(spot.path, planning.secrets);
  if (leaf !== undefined && !holdsSecret) return toField(spot, schema, leaf, nullable, planning);
  const tuple = planTuple(spot, schema, planning);
  if (tuple !== undefined) return tuple;
  return planEntries(spot, schema, 'list', planning) ?? planRaw(spot, schema, nullable, planning);
}

/** Plans whatever no other field carries: as JSON, or as kept. */
function planRaw(spot: Spot, read: Schema, nullable: boolean, planning: Planning): FormNode {
  const isTheirs = spot.fresh && spot.value === undefined;
  if (!isTheirs && holdsSecretPath(spot.path, planning.secrets)) {
    return keep(spot, spot.value === undefined ? '' : 'a secret is in it');
  }
  return toField(spot, read, planJson(spot.value), nullable, planning);
}

function toField(
  spot: Spot,
  schema: Schema,
  leaf: Leaf,
  nullable: boolean,
  planning: Planning,
): Field | Kept {
  const { value, path } = spot;
  const kind = kindOf(leaf);
  const id = idOf(spot.way, kind);
  const why = whyKept(leaf, value);
  if (why !== undefined) return keep(spot, value === undefined ? '' : why);
  return {
    type: 'field',
    id,
    actionId: actionIdOf(path),
    path,
    label: spot.label,
    hint: joinHints(describe(schema), leaf.note, ...notesOf(leaf, value, schema)),
    widget: leaf.widget,
    value,
    empty: emptyOf(spot, leaf, nullable),
    insists: insists(spot, leaf, nullable, schema),
    initial: leaf.initial,
    typed: Object.hasOwn(planning.draft.fields, id) ? planning.draft.fields[id] : undefined,
  };
}

/** Says what an empty field is now, and what it would be. */
function notesOf(
  { widget }: Leaf,
  value: JsonValue | undefined,
  schema: Schema,
): readonly string[] {
  if (value === '' && widget.kind !== 'json') return ['Empty text now'];
  if (value !== undefined && value !== null) return [];
  const none = value === null && widget.kind !== 'json' ? 'Null now' : '';
  const { default: own } = schema;
  return [none, own === undefined ? '' : toLine(`Default: ${JSON.stringify(own)}`, 80)];
}

/** An empty text stays one; what may lack is left out or null; a list is empty; anything else needs a value. */
function emptyOf(spot: Spot, { widget }: Leaf, nullable: boolean): Field['empty'] {
  const { value, required, fresh } = spot;
  const wasBlank = typeof value === 'string' && value.trim() === '';
  if (wasBlank || (value === undefined && !(fresh && required))) return { value };
  if (widget.kind === 'many' || widget.kind === 'lines') return { value: [] };
  if (!required) return { value: undefined };
  if (nullable) return { value: null };
  return widget.kind === 'text' && !fresh ? { value: '' } : 'refused';
}

/** Slack lets an untouched form through only where nothing that it insists on is blank. */
function insists(
  { required, fresh }: Spot,
  { widget, initial }: Leaf,
  nullable: boolean,
  schema: Schema,
): boolean {
  if (widget.kind === 'choice')
    return !widget.options.includes(undefined) && (initial !== '' || (fresh && required));
  if (nullable) return false;
  if (widget.kind === 'many' || widget.kind === 'lines')
    return Number(schema.minItems) >= 1 && initial.length > 0;
  const isBlank = typeof initial === 'string' && initial.trim() === '';
  return required && (fresh || !isBlank);
}

function whyKept({ widget, initial }: Leaf, value: JsonValue | undefined): string | undefined {
  if (widget.kind === 'choice' || widget.kind === 'many' || typeof initial !== 'string')
    return undefined;
  if (initial.length > LIMITS.inputText) {
    const length = typeof value === 'string' ? value.length : initial.length;
    return `${length.toLocaleString('en-US')} characters, more than a form can hold`;
  }
  return maskTokens(initial, LOOK_ALIKES_ONLY).guessed > 0
    ? 'it holds what looks like a secret'
    : undefined;
}

/** What is typed into one kind of field must not be read as another. */
function kindOf({ widget }: Leaf): string {
  if (widget.kind === 'choice' || widget.kind === 'many')
    return `${widget.kind} ${JSON.stringify(widget.options)}`;
  return widget.kind === 'lines' ? `lines of ${widget.item}` : widget.kind;
}

const PLAIN_STEP = /^[A-Za-z0-9_-]{1,60}$/;

/** Names a field's element by its path, as far as that is plain; Slack only wants it unique in its block. */
function actionIdOf(path: Path): string {
  const steps = path.map(String);
  const plain = steps.length > 0 && steps.every((step) => PLAIN_STEP.test(step));
  const id = steps.join('.');
  return plain && id.length <= 200 ? id : 'value';
}

function pick(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] ?? null]] : [])),
  );
}
