/** The model of a form, shared by the code that renders it and the code that reads it. */
import type { JsonValue } from '../../../domain/json/json.ts';

/** The path of a value in the arguments. */
export type Path = readonly (string | number)[];

/** The content of a field in Slack: a text, or the values of several options. */
export type Raw = string | readonly string[];

/** The type of each line of a field. */
export type LineKind = 'string' | 'number' | 'integer';

/** The control with which a value is edited. */
export type Widget =
  | { readonly kind: 'text'; readonly multiline: boolean; readonly max: number }
  | { readonly kind: 'email' }
  | { readonly kind: 'url' }
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  | { readonly kind: 'moment'; readonly offset: string; readonly seconds: string }
  /** One of a list; undefined means “not set”. */
  | { readonly kind: 'choice'; readonly options: readonly (JsonValue | undefined)[] }
  | { readonly kind: 'many'; readonly options: readonly JsonValue[] }
  /** A list of short values, one per line. */
  | { readonly kind: 'lines'; readonly item: LineKind }
  | { readonly kind: 'json' };

interface Base {
  /** Slack's `block_id`. Stays the same while other entries are added or removed. */
  readonly id: string;
  readonly path: Path;
  readonly label: string;
  readonly hint: string;
}

/** A value that a person can edit. */
export interface Field extends Base {
  readonly type: 'field';
  readonly actionId: string;
  readonly widget: Widget;
  /** The original value; undefined if there is none. */
  readonly value: JsonValue | undefined;
  /** The value of an emptied field; `refused` if a value is required. */
  readonly empty: { readonly value: JsonValue | undefined } | 'refused';
  /** Whether Slack may require a value. */
  readonly insists: boolean;
  readonly initial: Raw;
  /** The input so far; undefined while untouched. */
  readonly typed: Raw | undefined;
}

/** A value that the form can't edit, and why. It is not mentioned if `why` is empty. */
export interface UneditedValue extends Base {
  readonly type: 'kept';
  readonly why: string;
  readonly value: JsonValue | undefined;
}

/** An object, or a tuple by index. */
export interface Group extends Base {
  readonly type: 'group';
  readonly of: 'object' | 'tuple';
  readonly heading: boolean;
  /** The value when absent; undefined means left out. */
  readonly off: JsonValue | undefined;
  readonly present: boolean;
  readonly mayToggle: boolean;
  readonly children: readonly { readonly key: string; readonly node: FormNode }[];
}

/** Entries that people add and remove: a list, or an object with free keys. */
export interface Entries extends Base {
  readonly type: 'entries';
  readonly of: 'list' | 'record';
  /** The original value. */
  readonly value: JsonValue | undefined;
  /** Whether entries were added or removed. */
  readonly changed: boolean;
  readonly mayAdd: boolean;
  readonly mayRemove: boolean;
  readonly items: readonly Entry[];
}

export interface Entry {
  /** Its index in the value, or `n` and a number for an added entry. */
  readonly id: string;
  readonly label: string;
  /** The key of a record's entry, unless `name` edits it. */
  readonly key: string;
  readonly name: Field | undefined;
  readonly node: FormNode;
}

/** A value of one of several variants. */
export interface Union extends Base {
  readonly type: 'union';
  readonly kinds: readonly string[];
  readonly chosen: number;
  readonly node: FormNode;
}

export type FormNode = Field | UneditedValue | Group | Entries | Union;

/** The changes made in a form so far, by node id. Missing nodes are untouched. */
export interface Draft {
  readonly fields: { readonly [id: string]: Raw };
  readonly kinds: { readonly [id: string]: number };
  readonly present: { readonly [id: string]: boolean };
  readonly items: { readonly [id: string]: readonly string[] };
}

export const NO_DRAFT: Draft = { fields: {}, kinds: {}, present: {}, items: {} };

/** Lists all fields below a node, in the order of the form. */
export function fieldsOf(node: FormNode): readonly Field[] {
  switch (node.type) {
    case 'field':
      return [node];
    case 'kept':
      return [];
    case 'group':
      return node.present ? node.children.flatMap((child) => fieldsOf(child.node)) : [];
    case 'entries':
      return node.items.flatMap(({ name, node: item }) => [
        ...(name === undefined ? [] : [name]),
        ...fieldsOf(item),
      ]);
    case 'union':
      return fieldsOf(node.node);
  }
}

/** Lists a node and all nodes below it. */
export function nodesOf(node: FormNode): readonly FormNode[] {
  switch (node.type) {
    case 'field':
    case 'kept':
      return [node];
    case 'group':
      return [node, ...(node.present ? node.children.flatMap((each) => nodesOf(each.node)) : [])];
    case 'entries':
      return [
        node,
        ...node.items.flatMap(({ name, node: item }) => [
          ...(name === undefined ? [] : [name]),
          ...nodesOf(item),
        ]),
      ];
    case 'union':
      return [node, ...nodesOf(node.node)];
  }
}

/** Tells whether two field contents are equal, ignoring the order of options. */
export function isSameRaw(one: Raw, other: Raw): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.length === other.length && one.every((each) => other.includes(each));
}
