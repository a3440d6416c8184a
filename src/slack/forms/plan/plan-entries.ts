import type { JsonValue } from '../../../domain/json/json.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { BUDGET } from '../../text/limits.ts';
import { describeField, truncateText } from './form-labels.ts';
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
import { asList, isObject, RAW, type Schema } from './resolve-schema.ts';

/** Plans a list or a record by its entries; undefined when there are too many, or when it is a tuple. */
export function planEntries(
  spot: FormPosition,
  schema: Schema,
  of: Entries['of'],
  planning: FormPlanning,
): Entries | undefined {
  if (of === 'list' && tupleOf(schema).length > 0) return undefined;
  const id = formNodeId(spot.way, of);
  const values = valuesById(spot.value, of);
  const { [id]: drafted } = planning.draft.items;
  const ids = (drafted ?? [...values.keys()]).filter(
    (each) => values.has(each) || ADDED.test(each),
  );
  if (!fitsEntries(Math.max(ids.length, values.size))) return undefined;
  const item = of === 'list' ? schema.items : schema.additionalProperties;
  const plan = of === 'list' ? planItem : planNamedEntry;
  const count = ids.length;
  const items = ids.map((each, at) =>
    plan({ spot, item, id: each, at, count, known: values.get(each) }, planning),
  );
  const { min, max } = boundsOf(schema, of);
  return {
    type: 'entries',
    of,
    id,
    path: spot.path,
    label: spot.label,
    hint: describeField(schema),
    value: spot.value,
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

/** The values by the ids of their entries: by place in a list, by place of the key in a record. */
function valuesById(value: JsonValue | undefined, of: Entries['of']): ReadonlyMap<string, Known> {
  const named = of === 'record' && isObject(value) ? Object.entries(value) : [];
  const listed = of === 'list' ? asList(value).map((each): Known => ['', each]) : [];
  return new Map([...named, ...listed].map((entry, i) => [String(i), entry]));
}

interface EntryPlace {
  readonly spot: FormPosition;
  readonly item: JsonValue | undefined;
  readonly id: string;
  readonly at: number;
  readonly count: number;
  /** What it was before the form; undefined for an added one. */
  readonly known: Known | undefined;
}

function planItem(place: EntryPlace, planning: FormPlanning): Entry {
  const { spot, id, at, count } = place;
  // A list in a list: “Rows 2, 1 of 3”.
  const entries = spot.listName === undefined ? spot.label : `${spot.listName},`;
  const label = `${entries} ${at + 1} of ${count}`;
  const listName = `${entries} ${at + 1}`;
  const inner = { ...innerSpot(place, planning, { step: at, label, of: 'list' }), listName };
  return { id, label, key: '', name: undefined, node: planInner(place, inner, planning) };
}

function planNamedEntry(place: EntryPlace, planning: FormPlanning): Entry {
  const { spot, id, known } = place;
  const name = planName(spot, childPath(spot.way, `record ${id}`), known?.[0], planning);
  const key = name === undefined ? (known?.[0] ?? '') : keyNow(name);
  // What is secret is so under the name that it came with.
  const step = known === undefined ? key : known[0];
  const inner = innerSpot(place, planning, { step, label: 'Value', of: 'record' });
  const label = known === undefined ? 'A new entry' : nameOf(known[0], planning.masking);
  return { id, label, key, name, node: planInner(place, inner, planning) };
}

function innerSpot(
  { spot, item, id, known }: EntryPlace,
  planning: FormPlanning,
  as: { readonly step: string | number; readonly label: string; readonly of: Entries['of'] },
): FormPosition {
  const isFree = item === undefined || item === true;
  return {
    way: childPath(spot.way, `${as.of} ${id}`),
    path: [...spot.path, as.step],
    label: as.label,
    // A free value that was not there before can only be written as JSON.
    schema: known === undefined && isFree && !planning.infers ? RAW : item,
    value: known?.[1],
    required: true,
    fresh: spot.fresh || known === undefined,
    depth: spot.depth + 1,
  };
}

function planInner(
  { item, known }: EntryPlace,
  inner: FormPosition,
  planning: FormPlanning,
): FormNode {
  return known === undefined && item === false ? keepUnedited(inner, '') : planning.plan(inner);
}

/** A secret stays under its name, by which it is known as one. */
function isBound(path: Path, { masking, secrets }: FormPlanning): boolean {
  const isHidden = isMasked(String(path.at(-1)), masking);
  return isHidden || isSecretPlace(path, secrets) || containsSecretPath(path, secrets);
}

/** A key that holds a secret, or looks like one, is not shown either. */
function nameOf(key: string, masking: Masking): string {
  if (isMasked(key, masking)) return 'A hidden name';
  return truncateText(toVisible(key).text, 60) || '(empty name)';
}

function keyNow({ typed, initial }: Field): string {
  const raw = typed ?? initial;
  return typeof raw === 'string' ? raw : '';
}

function isForName(key: string): boolean {
  return key.trim() !== '' && key.length <= MAX_NAME && !key.includes('\n') && isForText(key);
}

/** The field of an entry's key; undefined for a key that a text field would change. */
function planName(
  spot: FormPosition,
  way: string,
  key: string | undefined,
  planning: FormPlanning,
): Field | undefined {
  if (key !== undefined && !(isForName(key) && !isBound([...spot.path, key], planning))) {
    return undefined;
  }
  const id = formNodeId(way, 'name');
  return {
    type: 'field',
    id,
    actionId: 'name',
    path: [...spot.path, key ?? ''],
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
