import { buildEditForm } from '../../forms/draw/edit-form.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import { type FormNode, nodesOf } from '../../forms/plan/form-node.ts';
import { planForm } from '../../forms/plan/plan-form.ts';
import { changeDraft, type FormChange } from '../../forms/read/form-draft.ts';
import type { Click } from '../../inbound/interaction.ts';
import { answerPerson, type Handler } from '../handler.ts';
import { type FormSession, findSession, saveSession } from './form-session.ts';

/** Computes the next form after a click in it. */
type FormUpdate = (
  click: Click,
  session: FormSession,
) => Pick<FormSession, 'draft' | 'plan' | 'meta'> & { readonly at?: string };

/** Goes back to an earlier page. */
export const backInForm = changeForm(({ detail }, { draft, plan, meta }) => {
  const page = /^[1-9][0-9]{0,3}$/.test(detail) ? Number(detail) : 1;
  return { draft, plan, meta: { ...meta, page } };
});

/** Shows the fields of the chosen kind. The choice itself is among the form’s values. */
export const chooseKind = changeForm((click, { draft, plan, meta }) => {
  return { draft, plan, meta, at: click.blockId };
});

/** Adds an entry to a list. */
export const addEntry = changeParts((id) => ({ kind: 'add', id }));

/** Removes an entry of a list. */
export const removeEntry = changeParts((detail) => {
  const [id = '', item = ''] = detail.split(' ');
  return { kind: 'remove', id, item };
});

/** Adds or removes an optional group of fields. */
export const toggleGroup = changeParts((id) => ({ kind: 'toggle', id }));

function changeParts(read: (detail: string) => FormChange): Handler<Click> {
  return changeForm(({ detail }, { call, tool, draft, plan, meta }) => {
    const change = read(detail);
    const changed = changeDraft(draft, plan, change);
    const next = planForm(call, tool, changed);
    return { draft: changed, plan: next, meta, at: fieldToShow(change, next) };
  });
}

/** Returns the field to show next: the added entry, else the changed part. */
function fieldToShow(change: FormChange, plan: FormNode): string {
  const node = nodesOf(plan).find(({ id }) => id === change.id);
  const added = change.kind === 'add' && node?.type === 'entries' ? node.items.at(-1) : undefined;
  return added?.node.id ?? change.id;
}

function changeForm(update: FormUpdate): Handler<Click> {
  return async (click, ack, deps) => {
    await ack();
    const found = await findSession(click, deps);
    if (found.kind === 'unusable') {
      return answerPerson(click.origin, found.sentence, deps, buildMessageView);
    }
    const { session } = found;
    const next = update(click, session);
    const meta = await saveSession(click, next, deps);
    const { view } = buildEditForm(session.call, next.plan, { ...next, meta });
    const { viewId } = click.origin;
    if (viewId !== undefined) await deps.client.views.update({ view_id: viewId, view });
  };
}
