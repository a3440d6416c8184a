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
import { type Click, isFromCurrentCard } from '../../inbound/interaction.ts';
import { outcomeSentence, SENTENCES } from '../../text/outcome-sentences.ts';
import { REVIEW } from '../../transport/ids.ts';
import { answerPerson, type Handler, type HandlerDeps } from '../handler.ts';
import { outdatedCardProblem, rejectClick } from '../reject-interaction.ts';
import { openView } from './open-view.ts';

type OpenResult = { readonly kind: 'open'; readonly call: Call } | DecisionOutcome;
type ReadCall = (command: OpenCommand) => Promise<OpenResult>;

/** Reads a call for a form that keeps masked values masked. */
function readBeforeForm(kind: DecisionKind, { desk }: HandlerDeps): ReadCall {
  return (command) => desk.checkDecision({ ...command, kind, renews: true });
}

/** Opens the form that edits the arguments. */
export const edit: Handler<Click> = (click, ack, deps) =>
  openForm(readBeforeForm('edit', deps), click, ack, deps, (result) => {
    if (result.kind !== 'open') return buildMessageView(outcomeSentence(result));
    const tool = deps.toolbox.of(result.call);
    if (tool === undefined) {
      return buildMessageView(
        'Nothing changed: this tool no longer exists, so there is no form for it.',
      );
    }
    return buildEditForm(result.call, planForm(result.call, tool, NO_DRAFT), {
      meta: createFormMetadata(),
    }).view;
  });

/** Opens the form to answer the agent. */
export const reply: Handler<Click> = (click, ack, deps) =>
  openForm(readBeforeForm('reply', deps), click, ack, deps, (result) =>
    result.kind === 'open'
      ? buildReplyForm(result.call, { tool: deps.toolbox.of(result.call), mark: deps.mark })
      : buildMessageView(outcomeSentence(result)),
  );

/** Opens the complete call, in pages. */
export const open: Handler<Click> = (click, ack, deps) =>
  openForm(deps.desk.open, click, ack, deps, (result) => showPage(result, 1, deps));

/** Opens one call of a shared card for review, with all its buttons. */
export const review: Handler<Click> = async (click, ack, deps) => {
  await openAsForm(click, ack, deps, (token) => {
    return buildReviewModal(token, click.origin.person, 1, deps);
  });
};

/** Shows another page of the complete call. It reads the call again. */
export const turnPage: Handler<Click> = async (click, ack, deps) => {
  await ack();
  const { viewId, person } = click.origin;
  if (viewId === undefined) return;
  const page = /^[1-9][0-9]{0,4}$/.test(click.detail) ? Number(click.detail) : 1;
  const { token } = click;
  if (click.metadata === REVIEW) {
    const view = await buildReviewModal(token, person, page, deps);
    await deps.client.views.update({ view_id: viewId, view });
    return;
  }
  const result = await deps.desk.open({ ...token, by: person });
  const isChanged = result.kind === 'open' && shortDigest(result.call.digest) !== token.digest;
  // The call changed, so the person has to start at page 1 again.
  const view = showPage(result, isChanged ? 1 : page, deps);
  await deps.client.views.update({ view_id: viewId, view });
};

function showPage(result: OpenResult, page: number, deps: HandlerDeps): ModalView {
  if (!('call' in result) || result.kind === 'stale')
    return buildMessageView(outcomeSentence(result));
  const { call } = result;
  const mayApprove = result.kind === 'open';
  return buildFullView(call, {
    page,
    tool: deps.toolbox.of(call),
    mayApprove,
    mark: deps.mark,
    ...(mayApprove ? {} : { note: outcomeSentence(result) }),
  });
}

async function openForm(
  read: ReadCall,
  click: Click,
  ack: Parameters<Handler<Click>>[1],
  deps: HandlerDeps,
  build: (result: OpenResult) => ModalView,
): Promise<void> {
  const by = click.origin.person;
  await openAsForm(click, ack, deps, async (token) => build(await read({ ...token, by })));
}

/** A click’s trigger expires after 3 s, so a loading view opens first. The form then replaces it. */
async function openAsForm(
  click: Click,
  ack: Parameters<Handler<Click>>[1],
  deps: HandlerDeps,
  build: (token: CardToken) => Promise<ModalView>,
): Promise<void> {
  const { viewId: open } = click.origin;
  const opening = open === undefined ? openView(buildLoadingView(), click, deps) : open;
  const [viewId] = await Promise.all([opening, ack()]);
  if (viewId === undefined) return;
  const clickInView = { ...click, origin: { ...click.origin, viewId } };
  try {
    await fillForm(clickInView, deps, build);
  } catch (error) {
    deps.log.error({ err: error, action: click.id }, 'A form could not be built.');
    const isDamaged = error instanceof DamagedRecordError;
    const sentence = isDamaged ? SENTENCES.damaged : SENTENCES.formFailed;
    await answerPerson(clickInView.origin, sentence, deps, buildMessageView);
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
