import type { JsonValue } from '../../../domain/json/json.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { describeField, truncateText } from '../../schema/field-labels.ts';
import { asList, isObject, RAW, type Schema } from '../../schema/resolve-schema.ts';
import { BUDGET } from '../../text/limits.ts';
import type { Entries, Entry, Field, FormNode, Path } from './form-node.ts';
import { containsSecretPath, isSecretPlace } from './form-secrets.ts';
import {
  childPath,
  type FormPlanning,
  type FormPosition,
  formNodeId,
  isMasked,
  keepUnedited,
} from './plan-context.ts';
import { fitsEntries, isForText, tupleOf } from './plan-leaf.ts';

/** Plans a list or record by its entries; undefined if it is a tuple or has too many. */
export function planEntries(
  position: FormPosition,
  schema: Schema,
  of: Entries['of'],
  planning: FormPlanning,
): Entries | undefined {
  if (of === 'list' && tupleOf(schema).length > 0) return undefined;
  const id = formNodeId(position.idPath, of);
  const values = valuesById(position.value, of);
  const { [id]: drafted } = planning.draft.items;
  const ids = (drafted ?? [...values.keys()]).filter(
    (each) => values.has(each) || ADDED.test(each),
  );
  if (!fitsEntries(Math.max(ids.length, values.size))) return undefined;
  const item = of === 'list' ? schema.items : schema.additionalProperties;
  const plan = of === 'list' ? planItem : planNamedEntry;
  const count = ids.length;
  const items = ids.map((each, at) =>
    plan({ position, item, id: each, at, count, known: values.get(each) }, planning),
  );
  const { min, max } = boundsOf(schema, of);
  return {
    type: 'entries',
    of,
    id,
    path: position.path,
    label: position.label,
    hint: describeField(schema),
    value: position.value,
    changed: drafted !== undefined && !isSameList(drafted, [...values.keys()]),
    mayAdd: ids.length < Math.min(max, BUDGET.formEntries),
    mayRemove: ids.length > min,
    items,
  };
}

const MAX_NAME = 200;
const ADDED = /^n[0-9]{1,4}$/;

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, i) => each === other[i]);
}

function boundsOf(
  schema: Schema,
  of: Entries['of'],
): { readonly min: number; readonly max: number } {
  const [low, high] =
    of === 'list'
      ? [schema.minItems, schema.maxItems]
      : [schema.minProperties, schema.maxProperties];
  return {
    min: typeof low === 'number' ? low : 0,
    max: typeof high === 'number' ? high : Number.POSITIVE_INFINITY,
  };
}

type Known = readonly [key: string, value: JsonValue];

/** Maps entry ids to entries. The id is the index in the list, or of the key in the record. */
function valuesById(value: JsonValue | undefined, of: Entries['of']): ReadonlyMap<string, Known> {
  const named = of === 'record' && isObject(value) ? Object.entries(value) : [];
  const listed = of === 'list' ? asList(value).map((each): Known => ['', each]) : [];
  return new Map([...named, ...listed].map((entry, i) => [String(i), entry]));
}

interface EntryPlace {
  readonly position: FormPosition;
  readonly item: JsonValue | undefined;
  readonly id: string;
  readonly at: number;
  readonly count: number;
  /** The original entry; undefined for an added one. */
  readonly known: Known | undefined;
}

function planItem(place: EntryPlace, planning: FormPlanning): Entry {
  const { position, id, at, count } = place;
  // A list in a list is labelled “Rows 2, 1 of 3”.
  const entries = position.listName === undefined ? position.label : `${position.listName},`;
  const label = `${entries} ${at + 1} of ${count}`;
  const listName = `${entries} ${at + 1}`;
  const inner = { ...entryPosition(place, planning, { step: at, label, of: 'list' }), listName };
  return { id, label, key: '', name: undefined, node: planInner(place, inner, planning) };
}

function planNamedEntry(place: EntryPlace, planning: FormPlanning): Entry {
  const { position, id, known } = place;
  const name = planName(position, childPath(position.idPath, `record ${id}`), known?.[0], planning);
  const key = name === undefined ? (known?.[0] ?? '') : currentKey(name);
  // A value's secrecy depends on its original key.
  const step = known === undefined ? key : known[0];
  const inner = entryPosition(place, planning, { step, label: 'Value', of: 'record' });
  const label = known === undefined ? 'A new entry' : nameOf(known[0], planning.masking);
  return { id, label, key, name, node: planInner(place, inner, planning) };
}

function entryPosition(
  { position, item, id, known }: EntryPlace,
  planning: FormPlanning,
  as: { readonly step: string | number; readonly label: string; readonly of: Entries['of'] },
): FormPosition {
  const isFree = item === undefined || item === true;
  return {
    idPath: childPath(position.idPath, `${as.of} ${id}`),
    path: [...position.path, as.step],
    label: as.label,
    // An added value without a schema can only be entered as JSON.
    schema: known === undefined && isFree && !planning.infers ? RAW : item,
    value: known?.[1],
    required: true,
    fresh: position.fresh || known === undefined,
    depth: position.depth + 1,
  };
}

function planInner(
  { item, known }: EntryPlace,
  inner: FormPosition,
  planning: FormPlanning,
): FormNode {
  return known === undefined && item === false ? keepUnedited(inner, '') : planning.plan(inner);
}

/** Secrets are declared by key, so the key of a secret can't be edited. */
function isKeyFixed(path: Path, { masking, secrets }: FormPlanning): boolean {
  const isHidden = isMasked(String(path.at(-1)), masking);
  return isHidden || isSecretPlace(path, secrets) || containsSecretPath(path, secrets);
}

/** Returns the label of a key. Keys that contain a secret, or look like one, are hidden. */
function nameOf(key: string, masking: Masking): string {
  if (isMasked(key, masking)) return 'A hidden name';
  return truncateText(toVisible(key).text, 60) || '(empty name)';
}

function currentKey({ typed, initial }: Field): string {
  const raw = typed ?? initial;
  return typeof raw === 'string' ? raw : '';
}

function isEditableKey(key: string): boolean {
  return key.trim() !== '' && key.length <= MAX_NAME && !key.includes('\n') && isForText(key);
}

/**
 * Plans the field of an entry's key; undefined for a key that a text field can't show unchanged.
 */
function planName(
  position: FormPosition,
  idPath: string,
  key: string | undefined,
  planning: FormPlanning,
): Field | undefined {
  if (
    key !== undefined &&
    !(isEditableKey(key) && !isKeyFixed([...position.path, key], planning))
  ) {
    return undefined;
  }
  const id = formNodeId(idPath, 'name');
  return {
    type: 'field',
    id,
    actionId: 'name',
    path: [...position.path, key ?? ''],
    label: 'Name',
    hint: '',
    widget: { kind: 'text', multiline: false, max: MAX_NAME },
    value: key,
    empty: 'refused',
    insists: true,
    initial: key ?? '',
    typed: Object.hasOwn(planning.draft.fields, id) ? planning.draft.fields[id] : undefined,
  };
}
