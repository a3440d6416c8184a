import type { JsonValue } from '../../domain/json.ts';
import { maskTokens } from '../cards/mask-secrets.ts';
import { toVisible } from '../cards/visible-text.ts';
import { describe, shorten } from './form-labels.ts';
import type { Entries, Entry, Field, Path } from './form-node.ts';
import { holdsSecretPath, isSecretPlace, LOOK_ALIKES_ONLY } from './form-secrets.ts';
import { idOf, keep, type Planning, type Spot, wayTo } from './form-spot.ts';
import { asList, isObject, RAW, type Schema } from './json-schema.ts';
import { fitsEntries, isForText, tupleOf } from './plan-leaf.ts';

/** Plans a list or a record by its entries; undefined when there are too many, or when it is a tuple. */
export function planEntries(
  spot: Spot,
  schema: Schema,
  of: Entries['of'],
  planning: Planning,
): Entries | undefined {
  if (of === 'list' && tupleOf(schema).length > 0) return undefined;
  const id = idOf(spot.way, of);
  const values = valuesById(spot.value, of);
  const { [id]: drafted } = planning.draft.items;
  const ids = (drafted ?? [...values.keys()]).filter(
    (each) => values.has(each) || ADDED.test(each),
  );
  if (!fitsEntries(Math.max(ids.length, values.size))) return undefined;
  const item = of === 'list' ? schema.items : schema.additionalProperties;
  const items = ids.map((each, at) =>
    planEntry({ spot, item, of, id: each, at, count: ids.length, values }, planning),
  );
  const { min, max } = boundsOf(schema, of);
  return {
    type: 'entries',
    of,
    id,
    path: spot.path,
    label: spot.label,
    hint: describe(schema),
    value: spot.value,
    changed: drafted !== undefined && !isSameList(drafted, [...values.keys()]),
    mayAdd: ids.length < Math.min(max, 60),
    mayRemove: ids.length > min,
    items,
  };
}

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

/** The values by the ids of their entries: by place in a list, by place of the key in a record. */
function valuesById(
  value: JsonValue | undefined,
  of: Entries['of'],
): ReadonlyMap<string, readonly [key: string, value: JsonValue]> {
  const entries =
    of === 'list'
      ? asList(value).map((each, i) => [String(i), each] as const)
      : isObject(value)
        ? Object.entries(value)
        : [];
  return new Map(entries.map((entry, i) => [String(i), entry]));
}

function planEntry(
  entry: {
    readonly spot: Spot;
    readonly item: JsonValue | undefined;
    readonly of: Entries['of'];
    readonly id: string;
    readonly at: number;
    readonly count: number;
    readonly values: ReadonlyMap<string, readonly [key: string, value: JsonValue]>;
  },
  planning: Planning,
): Entry {
  const { spot, item, of, id, at, count, values } = entry;
  const known = values.get(id);
  const way = wayTo(spot.way, `${of} ${id}`);
  const label = `${spot.label} ${at + 1} of ${count}`;
  const [key, value] = known ?? ['', undefined];
  const name = of === 'record' ? planName(spot, way, known?.[0], planning) : undefined;
  const now = name === undefined ? key : keyNow(name);
  const place: Spot = {
    way,
    path: [...spot.path, of === 'list' ? at : now],
    label: of === 'list' ? label : 'Value',
    // A free value that was not there before can only be written as JSON.
    schema:
      known === undefined && (item === undefined || item === true) && !planning.infers ? RAW : item,
    value,
    required: true,
    fresh: spot.fresh || known === undefined,
    depth: spot.depth + 1,
  };
  const isLost = known === undefined && item === false;
  return {
    id,
    label: of === 'list' ? label : known === undefined ? 'A new entry' : nameOf(key),
    key: now,
    name,
    node: isLost ? keep(place, '') : planning.plan(place),
  };
}

/** A secret stays under its name, by which it is known as one. */
function isBound(path: Path, secrets: readonly string[]): boolean {
  const looksSecret = maskTokens(String(path.at(-1)), LOOK_ALIKES_ONLY).guessed > 0;
  return looksSecret || isSecretPlace(path, secrets) || holdsSecretPath(path, secrets);
}

/** A key that looks like a secret is not shown either. */
function nameOf(key: string): string {
  return shorten(toVisible(maskTokens(key, LOOK_ALIKES_ONLY).text).text, 60) || '(empty name)';
}

function keyNow({ typed, initial }: Field): string {
  const raw = typed ?? initial;
  return typeof raw === 'string' ? raw : '';
}

/** The field of an entry's key; undefined for a key that a text field would change. */
function planName(
  spot: Spot,
  way: string,
  key: string | undefined,
  planning: Planning,
): Field | undefined {
  if (
    key !== undefined &&
    (isBound([...spot.path, key], planning.secrets) ||
      key.trim() === '' ||
      key.length > 200 ||
      key.includes('\n') ||
      !isForText(key))
  )
    return undefined;
  const id = idOf(way, 'name');
  return {
    type: 'field',
    id,
    actionId: 'name',
    path: [...spot.path, key ?? ''],
    label: 'Name',
    hint: '',
    widget: { kind: 'text', multiline: false, max: 200 },
    value: key,
    empty: 'refused',
    insists: true,
    initial: key ?? '',
    typed: Object.hasOwn(planning.draft.fields, id) ? planning.draft.fields[id] : undefined,
  };
}
