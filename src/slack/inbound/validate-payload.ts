/**
 * Whether a payload is of the kind, and stands in the place, from which the app's own buttons and
 * forms send it. Slack's signature says who sent it; this says that it fits what is to be done.
 */

import { parseFormMetadata } from '../forms/read/form-metadata.ts';
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../routes/route-ids.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, REVIEW, VIEWS } from '../transport/ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';

/** What was wrong with a payload, in a reason for the audit and in words for the person. */
export interface PayloadProblem {
  readonly why: string;
  readonly sentence: string;
  /** It may be taken in a minute: a form stays open with what was typed. */
  readonly isForNow?: true;
}

/** Says that nothing of ours was pressed. */
export function unknownElement(why: string): PayloadProblem {
  return { why, sentence: SENTENCES.notOurs };
}

/** A message, Home, or a modal by its callback id. */
type Stand =
  | 'message'
  | 'home'
  | (typeof VIEWS)[keyof typeof VIEWS]
  | 'route.list'
  | 'route.form.submit';

interface Element {
  /** Slack's name of the element. */
  readonly type: string;
  readonly stands: readonly Stand[];
}

const button = (...stands: readonly Stand[]): Element => ({ type: 'button', stands });

/** Every element that sends something when it is pressed, and where the app puts it. */
const ELEMENTS: Readonly<Record<string, Element>> = {
  [ACTIONS.approve]: button('message', VIEWS.full),
  [ACTIONS.approveAll]: button('message'),
  [ACTIONS.review]: button('message'),
  [ACTIONS.edit]: button('message', VIEWS.full),
  [ACTIONS.reply]: button('message', VIEWS.full),
  [ACTIONS.ignore]: button('message', VIEWS.full),
  [ACTIONS.open]: button('message'),
  [ACTIONS.menu]: { type: 'overflow', stands: ['message'] },
  [ACTIONS.choose]: { type: 'static_select', stands: ['message'] },
  ...Object.fromEntries(
    Array.from({ length: CHOICE_BUTTONS }, (_, place) => [chooseAction(place), button('message')]),
  ),
  [ACTIONS.page]: button(VIEWS.full),
  [ACTIONS.pageBack]: button(VIEWS.full),
  [ACTIONS.settleRan]: button('message', VIEWS.full),
  [ACTIONS.settleRerun]: button('message', VIEWS.full),
  [ACTIONS.settleLeave]: button('message', VIEWS.full),
  [ACTIONS.askAgain]: button('message'),
  [ACTIONS.rate]: { type: 'feedback_buttons', stands: ['message'] },
  [ACTIONS.stopTurn]: button('message'),
  [ACTIONS.formBack]: button(VIEWS.edit),
  [ACTIONS.formAdd]: button(VIEWS.edit),
  [ACTIONS.formRemove]: button(VIEWS.edit),
  [ACTIONS.formToggle]: button(VIEWS.edit),
  [ACTIONS.formKind]: { type: 'static_select', stands: [VIEWS.edit] },
  [ACTIONS.homeReview]: button('home'),
  [ACTIONS.homeIgnore]: button('home'),
  [ACTIONS.homeRefresh]: button('home'),
  [ACTIONS.homeBack]: button('home'),
  [ACTIONS.homeOn]: button('home'),
  [ACTIONS.homeShow]: { type: 'static_select', stands: ['home'] },
  [ACTIONS.homeTool]: { type: 'static_select', stands: ['home'] },
  [ACTIONS.homeSearch]: { type: 'plain_text_input', stands: ['home'] },
  [ACTIONS.homeClear]: button('home'),
  [ROUTE_ACTIONS.manage]: button('home'),
  [ROUTE_ACTIONS.add]: button('home', ROUTE_VIEWS.list),
  [ROUTE_ACTIONS.change]: button('home', ROUTE_VIEWS.list),
  [ROUTE_ACTIONS.remove]: button(ROUTE_VIEWS.list),
  [ROUTE_ACTIONS.more]: button(ROUTE_VIEWS.form),
  [ROUTE_ACTIONS.back]: button(ROUTE_VIEWS.form),
  [ROUTE_ACTIONS.channel]: { type: 'conversations_select', stands: [ROUTE_VIEWS.form] },
};

/** Says why a payload is not one press of an element of ours, where the app puts it. */
export function explainInvalidPress(payload: Payload): PayloadProblem | undefined {
  const actions = listAt(payload, 'actions');
  if (payload.type !== 'block_actions')
    return unknownElement(`a press in a payload of type ${describeType(payload)}`);
  if (actions.length !== 1) return unknownElement(`${actions.length} actions at once`);
  const [action = {}] = actions;
  const id = textAt(action, 'action_id') ?? '';
  const element = Object.hasOwn(ELEMENTS, id) ? ELEMENTS[id] : undefined;
  if (element === undefined) return unknownElement('unknown action');
  if (action.type !== element.type)
    return unknownElement(`an element of another type: ${describeType(action)}`);
  return explainWrongSurface(payload, element.stands);
}

function describeType({ type }: Payload): string {
  return typeof type === 'string' ? type.slice(0, 40) : 'none';
}

function explainWrongSurface(
  payload: Payload,
  stands: readonly Stand[],
): PayloadProblem | undefined {
  const container = objectAt(payload, 'container');
  if (container.type === 'message') {
    return stands.includes('message')
      ? explainAmbiguousMessage(payload)
      : unknownElement('on a message');
  }
  if (container.type !== 'view') return unknownElement('no message and no view');
  const view = objectAt(payload, 'view');
  if (textAt(view, 'id') === undefined || view.id !== container.view_id) {
    return unknownElement('another view than the one it was pressed in');
  }
  return stands.some((stand) => isView(view, stand))
    ? undefined
    : unknownElement('in another view');
}

function isView(view: Payload, stand: Stand): boolean {
  if (view.callback_id !== stand) return false;
  return view.type === (stand === VIEWS.home ? 'home' : 'modal');
}

/** Slack says where the message is in several places; they are one. */
function explainAmbiguousMessage(payload: Payload): PayloadProblem | undefined {
  const container = objectAt(payload, 'container');
  const { ts = container.message_ts } = objectAt(payload, 'message');
  const { id = container.channel_id } = objectAt(payload, 'channel');
  const isOne = ts === container.message_ts && id === container.channel_id;
  if (!isOne) return unknownElement('another message than the one it was pressed on');
  // A message has no view, and a view that a payload brings along is looked at for what it holds.
  return isPayload(payload.view) ? unknownElement('a message and a view at once') : undefined;
}

/** What each modal of ours says of itself beside the token of its call. */
const FORMS_OF: Readonly<Record<string, (form: string) => boolean>> = {
  [VIEWS.edit]: (form) => parseFormMetadata(form) !== undefined,
  [VIEWS.reply]: (form) => form === '',
  [VIEWS.reason]: (form) => form === '',
  [VIEWS.full]: (form) => form === '' || form === REVIEW,
};

/** Reads what a modal about a call says of itself; undefined where it is not what such a modal says. */
export function readCallMetadata(
  view: Payload,
): { readonly token: string; readonly form: string } | undefined {
  const callbackId = textAt(view, 'callback_id') ?? '';
  const [token = '', form = '', ...more] = (textAt(view, 'private_metadata') ?? '').split(' ');
  const fits = Object.hasOwn(FORMS_OF, callbackId) ? FORMS_OF[callbackId] : undefined;
  return more.length === 0 && fits?.(form) ? { token, form } : undefined;
}

/** Says why a payload is not about one of these modals of ours. */
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

/** Says why a payload is not for this app in this workspace. */
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

/** A workspace of an organization is told by who the person is: its people act in several. */
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

/** Returns the workspace in which a person acts. In an organization Slack names the one that is their home; whether they belong to ours as well, the directory asks Slack wherever it matters. */
export function actingTeamOf(home: string, { enterprise, team }: SlackIdentity): string {
  return enterprise === undefined ? home : team;
}

/** Of a person, or a place, of another workspace. */
export const OTHER_WORKSPACE: PayloadProblem = {
  why: 'a member of another workspace',
  sentence: SENTENCES.stranger,
};

/** Until Slack has told who the app is, nobody can tell for which app a payload is meant. */
export const APP_ID_UNKNOWN: PayloadProblem = {
  why: 'Slack has not told yet which app this is',
  sentence: SENTENCES.notReady,
  isForNow: true,
};
