import { checkView } from '../blocks/check-arguments.ts';
import { isJson, type Json, toRecords, toText } from '../json-value.ts';
import type { DirectoryMember } from '../state/slack-directory.ts';
import { checkForm } from '../views/form-check.ts';
import { enterValues } from '../views/form-state.ts';
import { type HeldView, toSlackView, type WorkspaceViews } from '../views/views.ts';
import type { Ack, Workspace } from '../workspace-port.ts';
import { describeActor, type PeopleContext } from './interaction-context.ts';

/** Slack's message for a modal acknowledgement that it cannot use. */
const TROUBLE = 'We had some trouble connecting. Try again?';

/** People's actions on a modal. */
export type SubmitActions = Pick<Workspace, 'submit' | 'close'>;

/** Creates the modal actions of people. */
export function createSubmitActions(context: PeopleContext): SubmitActions {
  return {
    submit: (...submission) => submit(context, ...submission),
    close: (name) => close(context, name),
  };
}

function topModalOf({ views }: PeopleContext, member: DirectoryMember): HeldView {
  const view = views.stackOf(member.id).at(-1);
  if (view === undefined) {
    throw new Error(`${member.name} has no modal open.`);
  }
  return view;
}

/** Submits the top modal, if its form is valid. */
async function submit(
  context: PeopleContext,
  ...[name, values]: Parameters<Workspace['submit']>
): ReturnType<Workspace['submit']> {
  const { core, views, triggers, toasts } = context;
  const member = core.directory.member(name);
  const view = topModalOf(context, member);
  const blocks = toRecords(view.content.blocks);
  if (view.content.submit === undefined && !blocks.some(({ type }) => type === 'input')) {
    throw new Error(`The modal of ${member.name} has no submit button.`);
  }
  const typed = enterValues(blocks, view.typed, values, view.offered);
  const errors = checkForm(blocks, typed, view.offered);
  const marked = views.mark(view, { typed, errors });
  if (Object.keys(errors).length > 0) {
    return { kind: 'blocked', errors };
  }
  const ack = await core.delivery.interaction({
    type: 'view_submission',
    ...describeActor(member, core.enterprise),
    trigger_id: triggers.issue({ userId: member.id, viewId: view.id }),
    view: toSlackView(marked, true),
    response_urls: [],
  });
  const problem =
    ack.kind === 'acknowledged'
      ? applyAnswer(views, member, marked, ack.body)
      : `no acknowledgement`;
  if (problem !== undefined) {
    toasts.show(member.id, TROUBLE);
    core.journal.note('interaction', 'view_submission answer', ackBody(ack), {
      ok: false,
      problem,
    });
  }
  return ack;
}

/** Applies the acknowledgement. Returns why it is invalid, if it is. */
function applyAnswer(
  views: WorkspaceViews,
  member: DirectoryMember,
  view: HeldView,
  body: unknown,
): string | undefined {
  const answer = isJson(body) ? body : {};
  switch (answer.response_action) {
    case undefined:
      // The view may be gone by the time the app answers.
      if (views.stackOf(member.id).at(-1)?.id === view.id) {
        views.pop(member.id);
      }
      return undefined;
    case 'clear':
      views.clear(member.id);
      return undefined;
    case 'errors':
      return showErrors(views, view, answer.errors);
    case 'update':
    case 'push':
      return showNext(views, member, view, answer.response_action, answer.view);
    default:
      return `unknown response_action: ${String(answer.response_action)}`;
  }
}

function showErrors(views: WorkspaceViews, view: HeldView, errors: unknown): string | undefined {
  const inputs = toRecords(view.content.blocks).filter(({ type }) => type === 'input');
  const known = new Set(inputs.map((block) => toText(block.block_id)));
  const entries = isJson(errors) ? Object.entries(errors) : [];
  const wrong = entries.find(
    ([blockId, text]) => !known.has(blockId) || toText(text).trim() === '',
  );
  if (entries.length === 0 || wrong !== undefined) {
    return wrong === undefined
      ? 'errors without an entry'
      : `errors for "${wrong[0]}", which is no input block of the view, or without a text`;
  }
  views.mark(view, {
    errors: Object.fromEntries(entries.map(([blockId, text]) => [blockId, toText(text)])),
  });
  return undefined;
}

function showNext(
  views: WorkspaceViews,
  member: DirectoryMember,
  view: HeldView,
  action: 'update' | 'push',
  content: unknown,
): string | undefined {
  const refusal = checkView(content);
  if (refusal !== undefined || !isJson(content)) {
    return JSON.stringify(refusal?.errors ?? 'no view');
  }
  const result =
    action === 'push'
      ? views.push({ userId: member.id, viewId: view.id }, content)
      : views.update({ viewId: view.id }, content);
  return 'error' in result ? result.error : undefined;
}

async function close(context: PeopleContext, name: string): Promise<void> {
  const { core, views } = context;
  const member = core.directory.member(name);
  const view = topModalOf(context, member);
  const isCleared = view.content.clear_on_close === true;
  if (isCleared) {
    views.clear(member.id);
  } else {
    views.pop(member.id);
  }
  if (view.content.notify_on_close === true) {
    await core.delivery.interaction({
      type: 'view_closed',
      ...describeActor(member, core.enterprise),
      view: toSlackView(view, true),
      is_cleared: isCleared,
    });
  }
}

function ackBody(ack: Ack): Json | unknown {
  return 'body' in ack ? ack.body : ack;
}
