/** Places of a form that are about to be planned, and what holds for all of them. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../domain/json/json.ts';
import { type Masking, maskText } from '../../../domain/secrets/mask-secrets.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { fieldLabelOf } from './form-labels.ts';
import type { Draft, FormNode, Path, UneditedValue } from './form-node.ts';
import { resolveSchema, type Walk } from './resolve-schema.ts';

/** The tool as a form needs it. */
export type FormTool = Pick<Tool, 'schema' | 'secrets' | 'server'>;

/** What holds for the whole form. */
export interface FormPlanning {
  readonly walk: Walk;
  /** Places that may still have fields of their own. */
  left: number;
  /** Paths of what is secret, whoever declares it. */
  readonly secrets: readonly string[];
  readonly masking: Masking;
  readonly draft: Draft;
  /** Whether values without a schema get a form by their own type. */
  readonly infers: boolean;
  /** Plans a place below. */
  plan(spot: FormPosition): FormNode;
}

/** A place of the form that is about to be planned. */
export interface FormPosition {
  /** The way to it, by keys and entries, so that it stays the same when others come and go. */
  readonly way: string;
  readonly path: Path;
  readonly label: string;
  /** What a list is called that is an entry of a list itself. */
  readonly listName?: string;
  readonly schema: JsonValue | undefined;
  readonly value: JsonValue | undefined;
  readonly required: boolean;
  /** Whether it was added in the form: nothing that it lacks was ever accepted. */
  readonly fresh: boolean;
  readonly depth: number;
}

/** Leaves a value as it is; without a reason nothing is said of it. */
export function keepUnedited(
  spot: Pick<FormPosition, 'way' | 'path' | 'label' | 'value'>,
  why: string,
): UneditedValue {
  return {
    type: 'kept',
    id: formNodeId(spot.way, 'kept'),
    path: spot.path,
    label: spot.label,
    hint: '',
    why,
    value: spot.value,
  };
}

/** Makes the id of a node. */
export function formNodeId(way: string, kind: string): string {
  return `f.${createHash('sha256').update(`${way} ${kind}`).digest('base64url').slice(0, 22)}`;
}

/** Adds one step to the way of a spot. */
export function childPath(way: string, step: string): string {
  return `${way}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Tells whether a name holds a secret, or looks like one. */
export function isMasked(name: string, masking: Masking): boolean {
  return maskText(name, masking).parts.length > 1;
}

/** Makes the spot of a property. */
export function propertyPosition(
  parent: FormPosition,
  key: string,
  schema: JsonValue | undefined,
  value: JsonValue | undefined,
  planning: FormPlanning,
): FormPosition {
  const read = resolveSchema(schema, planning.walk);
  return {
    way: childPath(parent.way, key),
    path: [...parent.path, key],
    label: isMasked(key, planning.masking) ? 'A hidden name' : fieldLabelOf(key, read),
    schema,
    value,
    required: false,
    fresh: parent.fresh,
    depth: parent.depth + 1,
  };
}
