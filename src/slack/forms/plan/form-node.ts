/** What a form is made of, before it is drawn: the same for the builder and for the reader. */
import type { JsonValue } from '../../../domain/json/json.ts';

/** Where a value stands in the arguments. */
export type Path = readonly (string | number)[];

/** What stands in a field as Slack carries it: a text, or the values of several choices. */
export type Raw = string | readonly string[];

/** What each line of a field holds. */
export type LineKind = 'string' | 'number' | 'integer';

/** How a value is edited. */
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
  /** One of a list; undefined stands for “not set”. */
  | { readonly kind: 'choice'; readonly options: readonly (JsonValue | undefined)[] }
  | { readonly kind: 'many'; readonly options: readonly JsonValue[] }
  /** A list of short values, one per line. */
  | { readonly kind: 'lines'; readonly item: LineKind }
  | { readonly kind: 'json' };

interface Base {
  /** The same for the same place, whatever was added or removed around it: Slack's `block_id`. */
  readonly id: string;
  readonly path: Path;
  readonly label: string;
  readonly hint: string;
}

/** One value that a person can change. */
export interface Field extends Base {
  readonly type: 'field';
  readonly actionId: string;
  readonly widget: Widget;
  /** The value before any change; undefined where there is none. */
  readonly value: JsonValue | undefined;
  /** What an emptied field stands for; `refused` where it needs a value. */
  readonly empty: { readonly value: JsonValue | undefined } | 'refused';
  /** Whether Slack itself may insist on a value. */
  readonly insists: boolean;
  readonly initial: Raw;
  /** What was typed so far; undefined while untouched. */
  readonly typed: Raw | undefined;
}

/** A value that the form does not carry, and why; nothing is said where `why` is empty. */
export interface UneditedValue extends Base {
  readonly type: 'kept';
  readonly why: string;
  readonly value: JsonValue | undefined;
}

/** Named values: an object, or the values of a tuple by place. */
export interface Group extends Base {
  readonly type: 'group';
  readonly of: 'object' | 'tuple';
  readonly heading: boolean;
  /** What it is when it is not there; undefined stands for left out. */
  readonly off: JsonValue | undefined;
  readonly present: boolean;
  readonly mayToggle: boolean;
  readonly children: readonly { readonly key: string; readonly node: FormNode }[];
}

/** Entries that people add and remove: a list, or an object whose keys are free. */
export interface Entries extends Base {
  readonly type: 'entries';
  readonly of: 'list' | 'record';
  /** The value before any change. */
  readonly value: JsonValue | undefined;
  /** Whether entries were added or removed. */
  readonly changed: boolean;
  readonly mayAdd: boolean;
  readonly mayRemove: boolean;
  readonly items: readonly Entry[];
}

export interface Entry {
  /** Its place in the value, or `n` and a number for an added one. */
  readonly id: string;
  readonly label: string;
  /** The key of a record's entry, while the form can't change it; else `name` does. */
  readonly key: string;
  readonly name: Field | undefined;
  readonly node: FormNode;
}

/** A value of one of several kinds. */
export interface Union extends Base {
  readonly type: 'union';
  readonly kinds: readonly string[];
  readonly chosen: number;
  readonly node: FormNode;
}

export type FormNode = Field | UneditedValue | Group | Entries | Union;

/** What was changed in a form so far. Ids are those of nodes; what is not named is untouched. */
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

/** Tells whether two contents of a field are the same; the order of several choices is none. */
export function isSameRaw(one: Raw, other: Raw): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.length === other.length && one.every((each) => other.includes(each));
}
