import { buildEditForm } from '../../forms/draw/edit-form.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import { type FormNode, nodesOf } from '../../forms/plan/form-node.ts';
import { planForm } from '../../forms/plan/plan-form.ts';
import { changeDraft, type FormChange } from '../../forms/read/form-draft.ts';
import type { Click } from '../../inbound/parse-click.ts';
import { answerPerson, type ClickHandler } from '../handler.ts';
import { type FormSession, findSession, saveSession } from './form-session.ts';

/** Where the form goes after a press in it. */
type Turn = (
  click: Click,
  session: FormSession,
) => Pick<FormSession, 'draft' | 'plan' | 'meta'> & { readonly at?: string };

/** Turns back to an earlier page. */
export const backInForm = changeForm(({ detail }, { draft, plan, meta }) => {
  const page = /^[1-9][0-9]{0,3}$/.test(detail) ? Number(detail) : 1;
  return { draft, plan, meta: { ...meta, page } };
});

/** Draws the form of the kind that was chosen; the choice itself is among the form's values. */
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

/** Adds a group of fields that may be left out, or leaves it out. */
export const toggleGroup = changeParts((id) => ({ kind: 'toggle', id }));

function changeParts(read: (detail: string) => FormChange): ClickHandler {
  return changeForm(({ detail }, { call, tool, draft, plan, meta }) => {
    const change = read(detail);
    const changed = changeDraft(draft, plan, change);
    const next = planForm(call, tool, changed);
    return { draft: changed, plan: next, meta, at: placeOf(change, next) };
  });
}

/** An added entry is looked at; else the part that was changed. */
function placeOf(change: FormChange, plan: FormNode): string {
  const node = nodesOf(plan).find(({ id }) => id === change.id);
  const added = change.kind === 'add' && node?.type === 'entries' ? node.items.at(-1) : undefined;
  return added?.node.id ?? change.id;
}

function changeForm(turn: Turn): ClickHandler {
  return async (click, ack, deps) => {
    await ack();
    const found = await findSession(click, deps);
    if (found.kind === 'over') {
      return answerPerson(click.origin, found.sentence, deps, buildMessageView);
    }
    const { session } = found;
    const next = turn(click, session);
    const meta = await saveSession(click, next, deps);
    const { view } = buildEditForm(session.call, next.plan, { ...next, meta });
    const { viewId } = click.origin;
    if (viewId !== undefined) await deps.client.views.update({ view_id: viewId, view });
  };
}
