/**
 * Whether a payload is of the kind, and stands in the place, from which the app's own buttons and
 * forms send it. Slack's signature says who sent it; this says that it fits what is to be done.
 */

import { parseFormMeta } from '../forms/read/form-metadata.ts';
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../routes/route-ids.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, REVIEW, VIEWS } from '../transport/ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';

/** What was wrong with a payload, in a reason for the audit and in words for the person. */
export interface Wrong {
  readonly why: string;
  readonly sentence: string;
  /** It may be taken in a minute: a form stays open with what was typed. */
  readonly isForNow?: true;
}

/** Says that nothing of ours was pressed. */
export function notOurs(why: string): Wrong {
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
export function whyNotAPress(payload: Payload): Wrong | undefined {
  const actions = listAt(payload, 'actions');
  if (payload.type !== 'block_actions')
    return notOurs(`a press in a payload of type ${sayType(payload)}`);
  if (actions.length !== 1) return notOurs(`${actions.length} actions at once`);
  const [action = {}] = actions;
  const id = textAt(action, 'action_id') ?? '';
  const element = Object.hasOwn(ELEMENTS, id) ? ELEMENTS[id] : undefined;
  if (element === undefined) return notOurs('unknown action');
  if (action.type !== element.type)
    return notOurs(`an element of another type: ${sayType(action)}`);
  return whyNotThere(payload, element.stands);
}

function sayType({ type }: Payload): string {
  return typeof type === 'string' ? type.slice(0, 40) : 'none';
}

function whyNotThere(payload: Payload, stands: readonly Stand[]): Wrong | undefined {
  const container = objectAt(payload, 'container');
  if (container.type === 'message') {
    return stands.includes('message') ? whyNotOneMessage(payload) : notOurs('on a message');
  }
  if (container.type !== 'view') return notOurs('no message and no view');
  const view = objectAt(payload, 'view');
  if (textAt(view, 'id') === undefined || view.id !== container.view_id) {
    return notOurs('another view than the one it was pressed in');
  }
  return stands.some((stand) => isView(view, stand)) ? undefined : notOurs('in another view');
}

function isView(view: Payload, stand: Stand): boolean {
  if (view.callback_id !== stand) return false;
  return view.type === (stand === VIEWS.home ? 'home' : 'modal');
}

/** Slack says where the message is in several places; they are one. */
function whyNotOneMessage(payload: Payload): Wrong | undefined {
  const container = objectAt(payload, 'container');
  const { ts = container.message_ts } = objectAt(payload, 'message');
  const { id = container.channel_id } = objectAt(payload, 'channel');
  const isOne = ts === container.message_ts && id === container.channel_id;
  if (!isOne) return notOurs('another message than the one it was pressed on');
  // A message has no view, and a view that a payload brings along is looked at for what it holds.
  return isPayload(payload.view) ? notOurs('a message and a view at once') : undefined;
}

/** What each modal of ours says of itself beside the token of its call. */
const FORMS_OF: Readonly<Record<string, (form: string) => boolean>> = {
  [VIEWS.edit]: (form) => parseFormMeta(form) !== undefined,
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
export function whyNotAForm(
  payload: Payload,
  type: 'view_submission' | 'block_suggestion',
  callbackIds: ReadonlySet<string>,
): Wrong | undefined {
  if (payload.type !== type) return notOurs(`a form in a payload of type ${sayType(payload)}`);
  const view = objectAt(payload, 'view');
  if (view.type !== 'modal') return notOurs(`a view of type ${sayType(view)}`);
  if (textAt(view, 'id') === undefined) return notOurs('a view without an id');
  return callbackIds.has(textAt(view, 'callback_id') ?? '') ? undefined : notOurs('unknown form');
}

/** Says why a payload is not for this app in this workspace. */
export function whyNotForUs(payload: Payload, identity: SlackIdentity): Wrong | undefined {
  if (identity.appId === undefined) return NOT_KNOWN_YET;
  const view = objectAt(payload, 'view');
  const { app_id: viewApp = identity.appId, bot_id: viewBot = identity.botId } = view;
  const isOurs = payload.api_app_id === identity.appId && viewApp === identity.appId;
  if (!isOurs || viewBot !== identity.botId) return notOurs('meant for another app');
  return whyAnotherPlace(textAt(objectAt(payload, 'enterprise'), 'id'), payload, identity);
}

/** A workspace of an organization is told by who the person is: its people act in several. */
function whyAnotherPlace(
  enterprise: string | undefined,
  payload: Payload,
  identity: SlackIdentity,
): Wrong | undefined {
  const team = textAt(objectAt(payload, 'team'), 'id') ?? identity.team;
  const isHere = identity.enterprise === undefined ? team === identity.team : true;
  return isHere && (enterprise ?? identity.enterprise) === identity.enterprise
    ? undefined
    : STRANGER;
}

/** Returns the workspace in which a person acts. In an organization Slack names the one that is their home; whether they belong to ours as well, the directory asks Slack wherever it matters. */
export function teamOf(home: string, { enterprise, team }: SlackIdentity): string {
  return enterprise === undefined ? home : team;
}

/** Of a person, or a place, of another workspace. */
export const STRANGER: Wrong = {
  why: 'a member of another workspace',
  sentence: SENTENCES.stranger,
};

/** Until Slack has told who the app is, nobody can tell for which app a payload is meant. */
export const NOT_KNOWN_YET: Wrong = {
  why: 'Slack has not told yet which app this is',
  sentence: SENTENCES.notReady,
  isForNow: true,
};
