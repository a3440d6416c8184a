import { buildLoadingView, buildMessageView } from '../forms/draw/small-views.ts';
import type { HomeClick } from '../inbound/parse-home-click.ts';
import { isEventForThisApp } from '../inbound/parse-message.ts';
import { openView } from '../interactions/forms/open-view.ts';
import { type Acknowledge, answerPerson, type HandlerDeps } from '../interactions/handler.ts';
import { outcomeSentenceUnnamed, SENTENCES } from '../text/outcome-sentences.ts';
import { isPayload, objectAt, textAt } from '../transport/payload.ts';
import { buildReviewModal } from './review-modal.ts';

/**
 * Publishes the Home that a person has opened. Ignores malformed events and those for other
 * installations. https://docs.slack.dev/reference/events/app_home_opened
 */
export async function showOpenedHome(
  body: unknown,
  { home, identity }: Pick<HandlerDeps, 'home' | 'identity'>,
): Promise<void> {
  if (!isPayload(body) || !isEventForThisApp(body, identity)) return;
  const event = objectAt(body, 'event');
  const user = textAt(event, 'user');
  if (user === undefined || textAt(event, 'tab') !== 'home') return;
  await home.show({ team: identity.team, user });
}

/** Handles a click on Home. */
export async function answerHomeClick(
  click: HomeClick,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const { wish, place, origin } = click;
  const { person } = origin;
  switch (wish.kind) {
    case 'review':
      return await review(click, wish.token, ack, deps);
    case 'ignore': {
      const decision = { kind: 'ignore' } as const;
      const outcome = await deps.desk.decide({ ...wish.token, by: person, decision });
      await ack();
      return await deps.home.show(person, place, outcomeSentenceUnnamed(outcome));
    }
    case 'see':
      await ack();
      return await deps.home.show(person, wish.place);
  }
}

/** The trigger of a click expires after three seconds, so a light view opens first. */
async function review(
  click: HomeClick,
  token: Parameters<typeof buildReviewModal>[0],
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const [viewId] = await Promise.all([openView(buildLoadingView(), click, deps), ack()]);
  if (viewId === undefined) return;
  try {
    const view = await buildReviewModal(token, click.origin.person, 1, deps);
    await deps.client.views.update({ view_id: viewId, view });
  } catch (error) {
    deps.log.error({ err: error, action: click.actionId }, 'A review could not be loaded.');
    await answerPerson({ ...click.origin, viewId }, SENTENCES.formFailed, deps, buildMessageView);
  }
}
