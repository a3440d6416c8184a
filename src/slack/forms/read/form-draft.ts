/**
 * The changes made in a form, collected from Slack's payloads and stored while people turn pages.
 */
import { ACTIONS } from '../../transport/ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../../transport/payload.ts';
import {
  type Draft,
  type Field,
  type FormNode,
  fieldsOf,
  isSameRaw,
  NO_DRAFT,
  nodesOf,
  type Raw,
  type Union,
} from '../plan/form-node.ts';

/** Copies the values of a view into the draft. Unknown fields are ignored. */
export function takeValues(draft: Draft, plan: FormNode, values: Payload): Draft {
  const fields = { ...draft.fields };
  for (const field of fieldsOf(plan)) {
    const raw = rawOf(field, objectAt(values, field.id)[field.actionId]);
    if (raw === undefined) continue;
    if (isUntouched(field, raw)) delete fields[field.id];
    else fields[field.id] = raw;
  }
  const kinds = { ...draft.kinds };
  for (const union of unionsOf(plan)) {
    const chosen = kindOf(union, objectAt(objectAt(values, union.id), ACTIONS.formKind));
    if (chosen !== undefined && chosen !== union.chosen) kinds[union.id] = chosen;
  }
  return { ...draft, fields, kinds };
}

function unionsOf(plan: FormNode): readonly Union[] {
  return nodesOf(plan).filter((node): node is Union => node.type === 'union');
}

function kindOf(union: Union, state: Payload): number | undefined {
  const chosen = textAt(objectAt(state, 'selected_option'), 'value') ?? '';
  if (!/^[0-9]{1,3}$/.test(chosen)) return undefined;
  return Number(chosen) < union.kinds.length ? Number(chosen) : undefined;
}

/** Reads the value of one element; undefined if the view has no such field. */
function rawOf({ widget }: Field, state: unknown): Raw | undefined {
  if (!isPayload(state)) return undefined;
  switch (widget.kind) {
    case 'choice':
      return textAt(objectAt(state, 'selected_option'), 'value') ?? '';
    case 'many':
      return listAt(state, 'selected_options').flatMap((each) => textAt(each, 'value') ?? []);
    case 'date':
      return textAt(state, 'selected_date') ?? '';
    case 'time':
      return textAt(state, 'selected_time') ?? '';
    case 'moment':
      return typeof state.selected_date_time === 'number' ? String(state.selected_date_time) : '';
    default:
      return textAt(state, 'value') ?? '';
  }
}

/** Tells whether a field has its initial value. Slack's picker ignores seconds. */
export function isUntouched({ widget, initial }: Field, raw: Raw): boolean {
  if (isSameRaw(initial, raw)) return true;
  if (widget.kind !== 'moment' || initial === '' || raw === '') return false;
  return Math.floor(Number(initial) / 60) === Math.floor(Number(raw) / 60);
}

/** A change to the structure of the form. */
export type FormChange =
  | { readonly kind: 'add'; readonly id: string }
  | { readonly kind: 'remove'; readonly id: string; readonly item: string }
  | { readonly kind: 'toggle'; readonly id: string };

/** Applies a structural change. A change that the form does not offer is ignored. */
export function changeDraft(draft: Draft, plan: FormNode, change: FormChange): Draft {
  const node = nodesOf(plan).find(({ id }) => id === change.id);
  if (change.kind === 'toggle') {
    if (node?.type !== 'group' || !node.mayToggle) return draft;
    return { ...draft, present: { ...draft.present, [node.id]: !node.present } };
  }
  if (node?.type !== 'entries') return draft;
  const ids = node.items.map(({ id }) => id);
  if (change.kind === 'remove') {
    if (!node.mayRemove || !ids.includes(change.item)) return draft;
    return withItems(
      draft,
      node.id,
      ids.filter((id) => id !== change.item),
    );
  }
  if (!node.mayAdd) return draft;
  const last = ids.map((id) => (id.startsWith('n') ? Number(id.slice(1)) : -1));
  return withItems(draft, node.id, [...ids, `n${Math.max(-1, ...last) + 1}`]);
}

function withItems(draft: Draft, id: string, items: readonly string[]): Draft {
  return { ...draft, items: { ...draft.items, [id]: items } };
}

export function encodeDraft(draft: Draft): string {
  return JSON.stringify(draft);
}

export function parseDraft(text: string): Draft {
  return { ...NO_DRAFT, ...(JSON.parse(text) as Draft) };
}
