/** Handles clicks in the list of routes and their form. The desk checks who may do what. */
import type { ModalView } from '@slack/types';
import type { RemoveRouteOutcome } from '../../../desk/control/routes.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import type {
  InteractionOrigin,
  RouteClick,
  RouteFormClick,
  RoutesClick,
} from '../../inbound/interaction.ts';
import { toHandles } from '../../people/user-groups.ts';
import { withChannelWarning } from '../../routes/form/route-form.ts';
import { describeRouteConflict } from '../../routes/route-sentences.ts';
import { buildRoutesModal } from '../../routes/routes-modal.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { slackErrorName } from '../../transport/slack-errors.ts';
import type { Handler, HandlerDeps } from '../handler.ts';
import { channelWarning } from './channel-warning.ts';
import { buildOtherStep, readFormState } from './form-steps.ts';
import { openList, openRouteForm } from './open-routes.ts';

/** Opens the list of routes. */
export const manageRoutes: Handler<RoutesClick> = async (click, ack, deps) => {
  await ack();
  await openList(click, deps);
};

/** Opens the form of a new route. */
export const addRoute: Handler<RoutesClick> = async (click, ack, deps) => {
  await ack();
  await openRouteForm(click, { seen: 0, from: click.from }, deps);
};

/** Opens the form of a route. */
export const changeRoute: Handler<RouteClick> = async (click, ack, deps) => {
  await ack();
  const { from, name, revision } = click;
  await openRouteForm(click, { name, seen: revision, from }, deps);
};

/** Removes a route, if it is still as it was shown. */
export const removeRoute: Handler<RouteClick> = async ({ name, origin, revision }, ack, deps) => {
  await ack();
  const by = origin.person;
  const outcome = await deps.routes.remove({ by, name, seen: revision });
  await redrawRouteList(origin, describeRemoved(name, outcome), deps);
  await deps.home.refresh(by);
};

function describeRemoved(name: string, outcome: RemoveRouteOutcome): string {
  switch (outcome.kind) {
    case 'saved':
      return `The route “${name}” was removed.`;
    case 'in-use':
      return `Nothing changed: “${outcome.by.join('”, “')}” escalates to “${name}”. Change that first.`;
    case 'changed-meanwhile':
      return describeRouteConflict(outcome, name);
    case 'not-allowed':
      return outcome.sentence;
  }
}

/** Redraws the list in the person's view. */
export async function redrawRouteList(
  { person, viewId }: Pick<InteractionOrigin, 'person' | 'viewId'>,
  notice: string | undefined,
  { client, log, routes, userGroups }: HandlerDeps,
): Promise<void> {
  if (viewId === undefined) return;
  const found = await routes.list(person);
  const view =
    found.kind === 'routes'
      ? buildRoutesModal({ ...found, handles: toHandles(await userGroups()) }, notice)
      : buildMessageView(found.sentence);
  try {
    await client.views.update({ view_id: viewId, view });
  } catch (error) {
    // The person has closed the view.
    if (slackErrorName(error) !== 'not_found') throw error;
    log.debug({ view: viewId }, 'The list of routes was closed.');
  }
}

/** Shows the second step of the form. */
export const showSecondStep = switchStep({ isMore: true });

/** Shows the first step of the form. */
export const showFirstStep = switchStep({ isMore: false });

/** Shows the other step of the form and keeps the input of both. */
function switchStep(step: { readonly isMore: boolean }): Handler<RouteFormClick> {
  return async (click, ack, deps) => {
    await ack();
    const { person } = click.origin;
    const found = await deps.routes.list(person);
    const state =
      found.kind === 'routes' ? await readFormState(found, click, person, deps) : undefined;
    const sentence = found.kind === 'routes' ? SENTENCES.formFailed : found.sentence;
    const view = state
      ? await buildOtherStep(state, step, person, deps)
      : buildMessageView(sentence);
    await updateForm(click, view, deps);
  };
}

/** Warns if a selected channel can't show cards. It keeps the block ids, so that Slack keeps the input. */
export const warnAboutChannel: Handler<RouteFormClick> = async (click, ack, deps) => {
  await ack();
  const note = await channelWarning(click.channel, deps);
  const blocks = withChannelWarning(click.view.blocks, note);
  await updateForm(click, { ...click.view, blocks }, deps);
};

async function updateForm(
  { hash, viewId }: RouteFormClick,
  view: ModalView,
  { client }: HandlerDeps,
): Promise<void> {
  await client.views.update({ view_id: viewId, view, ...(hash && { hash }) });
}
