/**
 * Checks that a payload has the type and the place of the button or form that the app made. Slack's
 * signature proves the sender; this proves that the action was possible there.
 */
import type { Person } from '../../domain/people/person.ts';
import { parseFormMetadata } from '../forms/read/form-metadata.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { REVIEW, VIEWS } from '../transport/ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { type ElementPlace, elementOf } from './elements.ts';
import type { PayloadProblem } from './interaction.ts';

/** Returns the problem of an element that is not ours. */
export function unknownElement(why: string): PayloadProblem {
  return { why, sentence: SENTENCES.notOurs };
}

/** Returns why a payload is not a single click on one of our elements in its place; undefined if it is. */
export function explainInvalidClick(payload: Payload): PayloadProblem | undefined {
  const actions = listAt(payload, 'actions');
  if (payload.type !== 'block_actions')
    return unknownElement(`a press in a payload of type ${describeType(payload)}`);
  if (actions.length !== 1) return unknownElement(`${actions.length} actions at once`);
  const [action = {}] = actions;
  const element = elementOf(textAt(action, 'action_id') ?? '');
  if (element === undefined) return unknownElement('unknown action');
  if (action.type !== element.type)
    return unknownElement(`an element of another type: ${describeType(action)}`);
  return explainWrongSurface(payload, element.places);
}

function describeType({ type }: Payload): string {
  return typeof type === 'string' ? type.slice(0, 40) : 'none';
}

function explainWrongSurface(
  payload: Payload,
  places: readonly ElementPlace[],
): PayloadProblem | undefined {
  const container = objectAt(payload, 'container');
  if (container.type === 'message') {
    return places.includes('message')
      ? explainAmbiguousMessage(payload)
      : unknownElement('on a message');
  }
  if (container.type !== 'view') return unknownElement('no message and no view');
  const view = objectAt(payload, 'view');
  if (textAt(view, 'id') === undefined || view.id !== container.view_id) {
    return unknownElement('another view than the one it was pressed in');
  }
  return places.some((place) => isView(view, place))
    ? undefined
    : unknownElement('in another view');
}

function isView(view: Payload, place: ElementPlace): boolean {
  if (view.callback_id !== place) return false;
  return view.type === (place === VIEWS.home ? 'home' : 'modal');
}

/** Slack names the message in several fields, which must agree. */
function explainAmbiguousMessage(payload: Payload): PayloadProblem | undefined {
  const container = objectAt(payload, 'container');
  const { ts = container.message_ts } = objectAt(payload, 'message');
  const { id = container.channel_id } = objectAt(payload, 'channel');
  const isSameMessage = ts === container.message_ts && id === container.channel_id;
  if (!isSameMessage) return unknownElement('another message than the one it was pressed on');
  // A click on a message has no view; other code would trust the view’s contents.
  return isPayload(payload.view) ? unknownElement('a message and a view at once') : undefined;
}

/** Valid metadata of each modal, besides the call’s token. */
const FORMS_OF: Readonly<Record<string, (metadata: string) => boolean>> = {
  [VIEWS.edit]: (metadata) => parseFormMetadata(metadata) !== undefined,
  [VIEWS.reply]: (metadata) => metadata === '',
  [VIEWS.reason]: (metadata) => metadata === '',
  [VIEWS.full]: (metadata) => metadata === '' || metadata === REVIEW,
};

/** Parses the metadata of a modal about a call; undefined if it is invalid for that modal. */
export function readCallMetadata(
  view: Payload,
): { readonly token: string; readonly metadata: string } | undefined {
  const callbackId = textAt(view, 'callback_id') ?? '';
  const [token = '', metadata = '', ...more] = (textAt(view, 'private_metadata') ?? '').split(' ');
  const fits = Object.hasOwn(FORMS_OF, callbackId) ? FORMS_OF[callbackId] : undefined;
  return more.length === 0 && fits?.(metadata) ? { token, metadata } : undefined;
}

/** Returns why a payload is not about one of these modals; undefined if it is. */
export function explainInvalidForm(
  payload: Payload,
  type: 'view_submission' | 'block_suggestion',
  callbackIds: ReadonlySet<string>,
): PayloadProblem | undefined {
  if (payload.type !== type)
    return unknownElement(`a form in a payload of type ${describeType(payload)}`);
  const view = objectAt(payload, 'view');
  if (view.type !== 'modal') return unknownElement(`a view of type ${describeType(view)}`);
  if (textAt(view, 'id') === undefined) return unknownElement('a view without an id');
  return callbackIds.has(textAt(view, 'callback_id') ?? '')
    ? undefined
    : unknownElement('unknown form');
}

/** Returns why a payload is not for this app or not from its workspace; undefined if it is. */
export function explainForeignPayload(
  payload: Payload,
  { person }: { readonly person: Person },
  identity: SlackIdentity,
): PayloadProblem | undefined {
  const wrong = explainWrongInstallation(payload, identity);
  if (wrong !== undefined) return wrong;
  if (person.user === '') return unknownElement('nobody');
  return person.team === identity.team ? undefined : OTHER_WORKSPACE;
}

/** Returns why a payload is not for this app in this workspace; undefined if it is. */
export function explainWrongInstallation(
  payload: Payload,
  identity: SlackIdentity,
): PayloadProblem | undefined {
  if (identity.appId === undefined) return APP_ID_UNKNOWN;
  const view = objectAt(payload, 'view');
  const { app_id: viewApp = identity.appId, bot_id: viewBot = identity.botId } = view;
  const isOurs = payload.api_app_id === identity.appId && viewApp === identity.appId;
  if (!isOurs || viewBot !== identity.botId) return unknownElement('meant for another app');
  return explainOtherPlace(textAt(objectAt(payload, 'enterprise'), 'id'), payload, identity);
}

/** Skips the workspace check in an organization, whose members act in several workspaces. */
function explainOtherPlace(
  enterprise: string | undefined,
  payload: Payload,
  identity: SlackIdentity,
): PayloadProblem | undefined {
  const team = textAt(objectAt(payload, 'team'), 'id') ?? identity.team;
  const isHere = identity.enterprise === undefined ? team === identity.team : true;
  return isHere && (enterprise ?? identity.enterprise) === identity.enterprise
    ? undefined
    : OTHER_WORKSPACE;
}

/**
 * Returns the workspace in which a person acts. In an organization Slack sends their home workspace
 * instead, so this returns ours; the directory checks their membership later.
 */
export function actingTeamOf(home: string, { enterprise, team }: SlackIdentity): string {
  return enterprise === undefined ? home : team;
}

/** The problem of a person or place of another workspace. */
const OTHER_WORKSPACE: PayloadProblem = {
  why: 'a member of another workspace',
  sentence: SENTENCES.stranger,
};

/** Without the app’s id, payloads for other apps can’t be recognized. */
export const APP_ID_UNKNOWN: PayloadProblem = {
  why: 'the app id is not known yet',
  sentence: SENTENCES.notReady,
  isTemporary: true,
};
