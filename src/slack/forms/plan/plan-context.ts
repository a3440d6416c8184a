/** The positions of a form during planning, and the state shared by all of them. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../domain/json/json.ts';
import { type Masking, maskText } from '../../../domain/secrets/mask-secrets.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { fieldLabelOf } from '../../schema/field-labels.ts';
import { resolveSchema, type Walk } from '../../schema/resolve-schema.ts';
import type { Draft, FormNode, Path, UneditedValue } from './form-node.ts';

/** The parts of a tool that a form needs. */
export type FormTool = Pick<Tool, 'schema' | 'secrets' | 'server'>;

/** The state shared by the whole form. */
export interface FormPlanning {
  readonly walk: Walk;
  /** How many more positions may get fields of their own. */
  left: number;
  /** Paths of all secrets, from every source. */
  readonly secrets: readonly string[];
  readonly masking: Masking;
  readonly draft: Draft;
  /** Whether values without a schema get fields for their own type. */
  readonly infers: boolean;
  /** Plans a nested position. */
  plan(position: FormPosition): FormNode;
}

/** A position of the form to be planned. */
export interface FormPosition {
  /**
   * The source of node ids. It uses keys and entry ids, so that it stays the same when other
   * entries change.
   */
  readonly idPath: string;
  readonly path: Path;
  readonly label: string;
  /** The name of a list that is itself an entry of a list. */
  readonly listName?: string;
  readonly schema: JsonValue | undefined;
  readonly value: JsonValue | undefined;
  readonly required: boolean;
  /** Whether it was added in the form, so that it has no accepted value yet. */
  readonly fresh: boolean;
  readonly depth: number;
}

/** Keeps a value unedited. Without a reason it is not mentioned. */
export function keepUnedited(
  position: Pick<FormPosition, 'idPath' | 'path' | 'label' | 'value'>,
  why: string,
): UneditedValue {
  return {
    type: 'kept',
    id: formNodeId(position.idPath, 'kept'),
    path: position.path,
    label: position.label,
    hint: '',
    why,
    value: position.value,
  };
}

/** Derives the id of a node. */
export function formNodeId(idPath: string, kind: string): string {
  return `f.${createHash('sha256').update(`${idPath} ${kind}`).digest('base64url').slice(0, 22)}`;
}

/** Appends one escaped step to an id path. */
export function childPath(idPath: string, step: string): string {
  return `${idPath}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Tells whether a name contains a secret, or looks like one. */
export function isMasked(name: string, masking: Masking): boolean {
  return maskText(name, masking).parts.length > 1;
}

/** Returns the position of a property. */
export function propertyPosition(
  parent: FormPosition,
  key: string,
  schema: JsonValue | undefined,
  value: JsonValue | undefined,
  planning: FormPlanning,
): FormPosition {
  const read = resolveSchema(schema, planning.walk);
  return {
    idPath: childPath(parent.idPath, key),
    path: [...parent.path, key],
    label: isMasked(key, planning.masking) ? 'A hidden name' : fieldLabelOf(key, read),
    schema,
    value,
    required: false,
    fresh: parent.fresh,
    depth: parent.depth + 1,
  };
}
