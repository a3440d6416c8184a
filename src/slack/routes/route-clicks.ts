/** Handles clicks in the list of routes and their form. The desk checks who may do what. */
import type { KnownBlock, ModalView } from '@slack/types';
import type { RemoveRouteOutcome } from '../../desk/control/routes.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import {
  explainForeignPayload,
  type InteractionOrigin,
  originOf,
  type RejectedInteraction,
} from '../inbound/parse-click.ts';
import { explainInvalidPress, unknownElement } from '../inbound/validate-payload.ts';
import type { Acknowledge, HandlerDeps } from '../interactions/handler.ts';
import { rejectClick } from '../interactions/reject-click.ts';
import { toHandles } from '../people/user-groups.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { channelWarning } from './form/channel-warning.ts';
import { buildOtherStep, readFormState } from './form/form-steps.ts';
import { withChannelWarning } from './form/route-form.ts';
import { parseRouteFormMetadata } from './form/route-form-metadata.ts';
import { openList, openRouteForm } from './open-routes.ts';
import { parseRouteToken, ROUTE_ACTIONS, ROUTE_VIEWS } from './route-ids.ts';
import { describeRouteConflict } from './route-sentences.ts';
import { buildRoutesModal } from './routes-modal.ts';

interface RouteClick {
  readonly origin: InteractionOrigin;
  readonly actionId: string;
  readonly triggerId: string;
  readonly value: string;
  readonly action: Payload;
  readonly view: Payload;
  readonly from: 'list' | 'home';
}

type Handler = (click: RouteClick, deps: HandlerDeps) => Promise<void>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  [ROUTE_ACTIONS.manage]: openList,
  [ROUTE_ACTIONS.add]: (click, deps) => openRouteForm(click, { seen: 0, from: click.from }, deps),
  [ROUTE_ACTIONS.change]: change,
  [ROUTE_ACTIONS.remove]: remove,
  [ROUTE_ACTIONS.channel]: warnAboutChannel,
  [ROUTE_ACTIONS.more]: (click, deps) => switchStep(click, true, deps),
  [ROUTE_ACTIONS.back]: (click, deps) => switchStep(click, false, deps),
};

/** Tells whether an action belongs to the list or form of routes. */
export function isRouteAction(actionId: string): boolean {
  return Object.hasOwn(HANDLERS, actionId);
}

/** Handles such a click: in a view of this app, by a member of the workspace. */
export async function handleRouteClick(
  body: unknown,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  await ack();
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, deps.identity);
  const [action = {}] = listAt(payload, 'actions');
  const view = objectAt(payload, 'view');
  const actionId = textAt(action, 'action_id') ?? '';
  const from = viewKindOf(view);
  const problem =
    explainForeignPayload(payload, origin, deps.identity) ?? explainInvalidPress(payload);
  const handle = HANDLERS[actionId];
  if (problem !== undefined || handle === undefined || from === undefined) {
    const why = problem ?? unknownElement(from === undefined ? 'no view' : 'unknown action');
    return rejectRouteClick({ origin, actionId }, why, deps);
  }
  const triggerId = textAt(payload, 'trigger_id') ?? '';
  const value = textAt(action, 'value') ?? '';
  await handle({ origin, actionId, triggerId, value, action, view, from }, deps);
}

async function rejectRouteClick(
  { actionId, origin }: Pick<RouteClick, 'actionId' | 'origin'>,
  why: Pick<RejectedInteraction, 'why' | 'sentence'>,
  deps: HandlerDeps,
): Promise<void> {
  await rejectClick({ kind: 'refused', origin, subject: actionId || 'click', ...why }, deps);
}

/** Returns where the click was; undefined if it was not in a view. */
function viewKindOf(view: Payload): RouteClick['from'] | undefined {
  if (textAt(view, 'type') === 'home') return 'home';
  return textAt(view, 'id') === undefined ? undefined : 'list';
}

async function change(click: RouteClick, deps: HandlerDeps): Promise<void> {
  const token = parseRouteToken(click.value);
  if (token === undefined) return rejectRouteClick(click, unknownElement('no route'), deps);
  const { name, revision } = token;
  await openRouteForm(click, { name, seen: revision, from: click.from }, deps);
}

async function remove(click: RouteClick, deps: HandlerDeps): Promise<void> {
  const token = parseRouteToken(click.value);
  if (token === undefined) return rejectRouteClick(click, unknownElement('no route'), deps);
  const by = click.origin.person;
  const { name, revision: seen } = token;
  const outcome = await deps.routes.remove({ by, name, seen });
  const notice = describeRemoved(name, outcome);
  await redrawRouteList(click.origin, notice, deps);
  await deps.home.follow(by);
}

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

/** Shows the other step of the form and keeps the input of both. */
async function switchStep(click: RouteClick, isMore: boolean, deps: HandlerDeps): Promise<void> {
  const { origin, view } = click;
  const { person, viewId } = origin;
  const meta = parseRouteFormMetadata(textAt(view, 'private_metadata') ?? '');
  if (meta === undefined || viewId === undefined)
    return rejectRouteClick(click, unknownElement('no route'), deps);
  const found = await deps.routes.list(person);
  const state =
    found.kind === 'routes' ? await readFormState(found, meta, person, view, deps) : undefined;
  const sentence = found.kind === 'routes' ? SENTENCES.formFailed : found.sentence;
  const next = state
    ? await buildOtherStep(state, { isMore }, person, deps)
    : buildMessageView(sentence);
  const hash = textAt(view, 'hash');
  await deps.client.views.update({ view_id: viewId, view: next, ...(hash && { hash }) });
}

/** Keeps the block ids, so that Slack keeps the input. */
async function warnAboutChannel(
  { action, origin, view }: RouteClick,
  deps: HandlerDeps,
): Promise<void> {
  const viewId = origin.viewId;
  if (viewId === undefined || textAt(view, 'callback_id') !== ROUTE_VIEWS.form) return;
  const note = await channelWarning(textAt(action, 'selected_conversation'), deps);
  const blocks = withChannelWarning(listAt(view, 'blocks') as unknown as KnownBlock[], note);
  const { private_metadata: meta = '' } = view as { readonly private_metadata?: string };
  const shown: ModalView = {
    type: 'modal',
    callback_id: ROUTE_VIEWS.form,
    private_metadata: meta,
    title: objectAt(view, 'title') as unknown as ModalView['title'],
    submit: objectAt(view, 'submit') as unknown as ModalView['title'],
    close: objectAt(view, 'close') as unknown as ModalView['title'],
    blocks,
  };
  const hash = textAt(view, 'hash');
  await deps.client.views.update({ view_id: viewId, view: shown, ...(hash && { hash }) });
}
