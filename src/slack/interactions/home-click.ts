import type { CardToken } from '../../domain/calls/digest.ts';
import { buildLoadingView, buildMessageView } from '../forms/draw/small-views.ts';
import { buildReviewModal } from '../home/review-modal.ts';
import type { HomeClick } from '../inbound/interaction.ts';
import { outcomeSentenceUnnamed, SENTENCES } from '../text/outcome-sentences.ts';
import { openView } from './forms/open-view.ts';
import { type Acknowledge, answerPerson, type Handler, type HandlerDeps } from './handler.ts';

/** Handles a click on Home. */
export const answerHomeClick: Handler<HomeClick> = async (click, ack, deps) => {
  const { action, origin, state } = click;
  const { person } = origin;
  switch (action.kind) {
    case 'review':
      return await review(click, action.token, ack, deps);
    case 'ignore': {
      const decision = { kind: 'ignore' } as const;
      const outcome = await deps.desk.decide({ ...action.token, by: person, decision });
      await ack();
      return await deps.home.show(person, state, outcomeSentenceUnnamed(outcome));
    }
    case 'show':
      await ack();
      return await deps.home.show(person, action.state);
  }
};

/** The trigger of a click expires after three seconds, so a light view opens first. */
async function review(
  click: HomeClick,
  token: CardToken,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const [viewId] = await Promise.all([openView(buildLoadingView(), click, deps), ack()]);
  if (viewId === undefined) return;
  try {
    const view = await buildReviewModal(token, click.origin.person, 1, deps);
    await deps.client.views.update({ view_id: viewId, view });
  } catch (error) {
    deps.log.error({ err: error, action: click.id }, 'A review could not be loaded.');
    await answerPerson({ ...click.origin, viewId }, SENTENCES.formFailed, deps, buildMessageView);
  }
}
