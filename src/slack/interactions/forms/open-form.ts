import type { ModalView } from '@slack/types';
import { DamagedRecordError } from '../../../domain/audit/damaged-record.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { DecisionOutcome, OpenCommand } from '../../../domain/calls/decision.ts';
import { type CardToken, shortDigest } from '../../../domain/calls/digest.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import { buildEditForm } from '../../forms/draw/edit-form.ts';
import { buildFullView } from '../../forms/draw/full-view.ts';
import { buildReplyForm } from '../../forms/draw/reply-form.ts';
import { buildLoadingView, buildMessageView } from '../../forms/draw/small-views.ts';
import { NO_DRAFT } from '../../forms/plan/form-node.ts';
import { planForm } from '../../forms/plan/plan-form.ts';
import { createFormMetadata } from '../../forms/read/form-metadata.ts';
import { buildReviewModal } from '../../home/review-modal.ts';
import { type Click, isFromCurrentCard } from '../../inbound/parse-click.ts';
import { outcomeSentence, SENTENCES } from '../../text/outcome-sentences.ts';
import { REVIEW } from '../../transport/ids.ts';
import { answerPerson, type ClickHandler, type HandlerDeps } from '../handler.ts';
import { outdatedCardProblem, rejectClick } from '../reject-click.ts';
import { openView } from './open-view.ts';

type Look = { readonly kind: 'open'; readonly call: Call } | DecisionOutcome;
type ReadCall = (command: OpenCommand) => Promise<Look>;

/** Reads a call for a form in which nothing is shown that is masked on the card. */
function readBeforeForm(kind: DecisionKind, { desk }: HandlerDeps): ReadCall {
  return (command) => desk.checkDecision({ ...command, kind, renews: true });
}

/** Opens the form with which the arguments are changed. */
export const edit: ClickHandler = (click, ack, deps) =>
  openForm(readBeforeForm('edit', deps), click, ack, deps, (look) => {
    if (look.kind !== 'open') return buildMessageView(outcomeSentence(look));
    const tool = deps.toolbox.of(look.call);
    if (tool === undefined) {
      return buildMessageView(
        'Nothing changed: I do not know this tool any more, so it has no form.',
      );
    }
    return buildEditForm(look.call, planForm(look.call, tool, NO_DRAFT), {
      meta: createFormMetadata(),
    }).view;
  });

/** Opens the form in which a person answers the agent. */
export const reply: ClickHandler = (click, ack, deps) =>
  openForm(readBeforeForm('reply', deps), click, ack, deps, (look) =>
    look.kind === 'open'
      ? buildReplyForm(look.call, { tool: deps.toolbox.of(look.call), mark: deps.mark })
      : buildMessageView(outcomeSentence(look)),
  );

/** Opens the call whole, page by page. */
export const open: ClickHandler = (click, ack, deps) =>
  openForm(deps.desk.open, click, ack, deps, (look) => showPage(look, 1, deps));

/** Opens the call as if it stood alone on its card, with all that can be decided on it. */
export const review: ClickHandler = async (click, ack, deps) => {
  await openAsForm(click, ack, deps, (token) => {
    return buildReviewModal(token, click.origin.person, 1, deps);
  });
};

/** Turns a page of the whole call; the call is read anew. */
export const turnPage: ClickHandler = async (click, ack, deps) => {
  await ack();
  const { viewId, person } = click.origin;
  if (viewId === undefined) return;
  const page = /^[1-9][0-9]{0,4}$/.test(click.detail) ? Number(click.detail) : 1;
  const { token } = click;
  if (click.form === REVIEW) {
    const view = await buildReviewModal(token, person, page, deps);
    await deps.client.views.update({ view_id: viewId, view });
    return;
  }
  const look = await deps.desk.open({ ...token, by: person });
  const isOther = look.kind === 'open' && shortDigest(look.call.digest) !== token.digest;
  // What was read on the other pages is not what they hold now.
  const view = showPage(look, isOther ? 1 : page, deps);
  await deps.client.views.update({ view_id: viewId, view });
};

function showPage(look: Look, page: number, deps: HandlerDeps): ModalView {
  if (!('call' in look) || look.kind === 'stale') return buildMessageView(outcomeSentence(look));
  const { call } = look;
  const mayApprove = look.kind === 'open';
  return buildFullView(call, {
    page,
    tool: deps.toolbox.of(call),
    mayApprove,
    mark: deps.mark,
    ...(mayApprove ? {} : { note: outcomeSentence(look) }),
  });
}

async function openForm(
  read: ReadCall,
  click: Click,
  ack: Parameters<ClickHandler>[1],
  deps: HandlerDeps,
  build: (look: Look) => ModalView,
): Promise<void> {
  const by = click.origin.person;
  await openAsForm(click, ack, deps, async (token) => build(await read({ ...token, by })));
}

/** A click's trigger expires after three seconds, so a small view opens before anything is read. The form then replaces it. */
async function openAsForm(
  click: Click,
  ack: Parameters<ClickHandler>[1],
  deps: HandlerDeps,
  build: (token: CardToken) => Promise<ModalView>,
): Promise<void> {
  const { viewId: open } = click.origin;
  const opening = open === undefined ? openView(buildLoadingView(), click, deps) : open;
  const [viewId] = await Promise.all([opening, ack()]);
  if (viewId === undefined) return;
  const inView = { ...click, origin: { ...click.origin, viewId } };
  try {
    await fillForm(inView, deps, build);
  } catch (error) {
    deps.log.error({ err: error, action: click.actionId }, 'A form could not be filled.');
    const isDamaged = error instanceof DamagedRecordError;
    const sentence = isDamaged ? SENTENCES.damaged : SENTENCES.formFailed;
    await answerPerson(inView.origin, sentence, deps, buildMessageView);
  }
}

async function fillForm(
  click: Click & { readonly origin: { readonly viewId: string } },
  deps: HandlerDeps,
  build: (token: CardToken) => Promise<ModalView>,
): Promise<void> {
  const card = await deps.cardOf(click.token.callId);
  if (!isFromCurrentCard(click, card)) return rejectClick(outdatedCardProblem(click), deps);
  const view = await build(click.token);
  await deps.client.views.update({ view_id: click.origin.viewId, view });
}
