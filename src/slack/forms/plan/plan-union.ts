import type { JsonValue } from '../../../domain/json/json.ts';
import { describeField, kindNames } from '../../schema/field-labels.ts';
import {
  asObject,
  isObject,
  type Schema,
  typeOf,
  valuesOf,
  type Walk,
} from '../../schema/resolve-schema.ts';
import { LIMITS } from '../../text/limits.ts';
import type { FormNode, Union } from './form-node.ts';
import { type SchemaFit, schemaFitOf } from './match-variant.ts';
import { type FormPlanning, type FormPosition, formNodeId, keepUnedited } from './plan-context.ts';
import { fitsGroup, planObject } from './plan-group.ts';

/** Plans a union; undefined if the value fits none of its variants, or there are too many. */
export function planUnion(
  position: FormPosition,
  schema: Schema,
  { variants, nullable }: { readonly variants: readonly Schema[]; readonly nullable: boolean },
  planning: FormPlanning,
): Union | undefined {
  const { value } = position;
  const kinds: readonly (Schema | undefined)[] = [
    ...variants,
    ...(nullable ? [{ type: 'null' }] : []),
    ...(position.required && (value !== undefined || position.fresh) ? [] : [undefined]),
  ];
  if (kinds.length > LIMITS.selectOptions) return undefined;
  const own = ownKind(kinds, value, planning.walk);
  if (own === undefined) return undefined;
  const id = formNodeId(position.idPath, `union of ${kinds.length}`);
  const { [id]: drafted } = planning.draft.kinds;
  const chosen = drafted !== undefined && drafted < kinds.length ? drafted : own;
  const names = kindNames(
    kinds.map((each) => each ?? {}),
    kinds.map((each) => (each === undefined ? undefined : constantOf(each, kinds))),
  );
  return {
    type: 'union',
    id,
    path: position.path,
    label: position.label,
    hint: describeField(schema),
    kinds: names.map((name, i) => (kinds[i] === undefined ? '(not set)' : name)),
    chosen,
    node: planKind(position, kinds[chosen], chosen === own, planning),
  };
}

/** Returns the variant of the current value; the first one if there is no value. */
function ownKind(
  kinds: readonly (Schema | undefined)[],
  value: JsonValue | undefined,
  walk: Walk,
): number | undefined {
  if (value === undefined) return kinds.includes(undefined) ? kinds.indexOf(undefined) : 0;
  const fits = kinds.map(
    (kind): SchemaFit => (kind === undefined ? 0 : schemaFitOf(kind, value, walk)),
  );
  const best = Math.max(...fits);
  return best === 0 ? undefined : fits.indexOf(best as SchemaFit);
}

function planKind(
  position: FormPosition,
  kind: Schema | undefined,
  isOwn: boolean,
  planning: FormPlanning,
): FormNode {
  if (kind === undefined) return keepUnedited({ ...position, value: undefined }, '');
  const fresh = position.fresh || !isOwn;
  const inner = { ...position, schema: kind, required: true, fresh };
  const isGroup = typeOf(kind) === 'object' && Object.hasOwn(kind, 'properties');
  if (!isGroup || !fitsGroup(kind, position.value)) return planning.plan(inner);
  // Variants share one object, so that common properties survive a change of variant.
  const value = isObject(position.value) ? position.value : undefined;
  const group = planObject({ ...inner, value }, kind, planning, { heading: false, off: undefined });
  return group;
}

/**
 * Returns the constant that tells a variant from the others: the value of a property that all of
 * them fix.
 */
function constantOf(kind: Schema, kinds: readonly (Schema | undefined)[]): JsonValue | undefined {
  const own = valuesOf(kind);
  if (own?.length === 1 && own[0] !== null) return own[0];
  const properties = asObject(kind.properties);
  const key = Object.keys(properties).find((each) =>
    kinds.every(
      (other) =>
        other === undefined || other.type === 'null' || constantAt(other, each) !== undefined,
    ),
  );
  return key === undefined ? undefined : constantAt(kind, key);
}

function constantAt(kind: Schema, key: string): JsonValue | undefined {
  const values = valuesOf(asObject(asObject(kind.properties)[key]));
  return values?.length === 1 ? values[0] : undefined;
}
