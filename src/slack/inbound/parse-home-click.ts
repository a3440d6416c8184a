/** Parses clicks on Home. The view holds the current pages and filters, the button the action. */
import { type CardToken, parseCardToken } from '../../domain/calls/digest.ts';
import { ALL_TOOLS } from '../home/home-filters.ts';
import {
  HOME_VIEWS,
  type HomeList,
  type HomeState,
  MAX_FILTER_LENGTH,
  nextHomePage,
  parseHomeState,
  previousHomePage,
  withHomeView,
  withSearch,
  withToolFilter,
} from '../home/home-state.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { ACTIONS } from '../transport/ids.ts';
import { isPayload, listAt, objectAt, textAt } from '../transport/payload.ts';
import {
  explainForeignPayload,
  type InteractionOrigin,
  originOf,
  type RejectedInteraction,
} from './parse-click.ts';
import { explainInvalidPress, unknownElement } from './validate-payload.ts';

/** The actions that exist on Home only. */
export const HOME_ACTIONS: ReadonlySet<string> = new Set([
  ACTIONS.homeReview,
  ACTIONS.homeIgnore,
  ACTIONS.homeRefresh,
  ACTIONS.homeBack,
  ACTIONS.homeOn,
  ACTIONS.homeShow,
  ACTIONS.homeTool,
  ACTIONS.homeSearch,
  ACTIONS.homeClear,
]);

/** What a click on Home asks for. */
export type HomeAction =
  | { readonly kind: 'review' | 'ignore'; readonly token: CardToken }
  /** Show Home with these pages and filters. */
  | { readonly kind: 'see'; readonly place: HomeState };

/** A click on a person's Home. */
export interface HomeClick {
  readonly origin: InteractionOrigin;
  readonly actionId: string;
  readonly triggerId: string;
  /** The pages and filters that were shown. */
  readonly place: HomeState;
  readonly wish: HomeAction;
}

/** Parses a click on Home. The desk decides whether the person may act. */
export function parseHomeClick(
  body: unknown,
  identity: SlackIdentity,
): { readonly kind: 'home-click'; readonly click: HomeClick } | RejectedInteraction {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, identity);
  const [action = {}] = listAt(payload, 'actions');
  const actionId = textAt(action, 'action_id') ?? '';
  const view = objectAt(payload, 'view');
  const place = parseHomeState(textAt(view, 'private_metadata') ?? '');
  const chosen = textAt(objectAt(action, 'selected_option'), 'value');
  const wish = homeActionOf(actionId, chosen ?? textAt(action, 'value') ?? '', place);
  const wrong = explainForeignPayload(payload, origin, identity) ?? explainInvalidPress(payload);
  if (wrong !== undefined || wish === undefined) {
    const refusal = wrong ?? unknownElement('unknown action on Home');
    return { kind: 'refused', origin, subject: actionId || 'click', ...refusal };
  }
  const triggerId = textAt(payload, 'trigger_id') ?? '';
  return { kind: 'home-click', click: { origin, actionId, triggerId, place, wish } };
}

function homeActionOf(actionId: string, value: string, place: HomeState): HomeAction | undefined {
  switch (actionId) {
    case ACTIONS.homeReview:
    case ACTIONS.homeIgnore: {
      const token = parseCardToken(value);
      const kind = actionId === ACTIONS.homeReview ? 'review' : 'ignore';
      return token && { kind, token };
    }
    case ACTIONS.homeRefresh:
      return { kind: 'see', place };
    case ACTIONS.homeBack:
      return isList(value) ? { kind: 'see', place: previousHomePage(place, value) } : undefined;
    case ACTIONS.homeOn: {
      const [list = '', after = ''] = value.split(' ');
      return isList(list) ? { kind: 'see', place: nextHomePage(place, list, after) } : undefined;
    }
    default:
      return filterOf(actionId, value, place);
  }
}

function filterOf(actionId: string, value: string, place: HomeState): HomeAction | undefined {
  switch (actionId) {
    case ACTIONS.homeShow: {
      const view = HOME_VIEWS.find((each) => each === value);
      return view && { kind: 'see', place: withHomeView(place, view) };
    }
    case ACTIONS.homeTool:
      return isTool(value)
        ? { kind: 'see', place: withToolFilter(place, value === ALL_TOOLS ? undefined : value) }
        : undefined;
    case ACTIONS.homeSearch:
      return { kind: 'see', place: withSearch(place, value) };
    case ACTIONS.homeClear:
      return { kind: 'see', place: withSearch(place, undefined) };
    default:
      return undefined;
  }
}

function isTool(value: string): boolean {
  return value !== '' && value.length <= MAX_FILTER_LENGTH;
}

function isList(text: string): text is HomeList {
  return text === 'waiting' || text === 'asked' || text === 'team' || text === 'decided';
}
