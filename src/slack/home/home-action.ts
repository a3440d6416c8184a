/** What a click on Home asks for. The view holds the current pages and filters, the button the action. */
import { type CardToken, parseCardToken } from '../../domain/calls/digest.ts';
import { ACTIONS } from '../transport/ids.ts';
import { ALL_TOOLS } from './home-filters.ts';
import {
  HOME_VIEWS,
  type HomeList,
  type HomeState,
  MAX_FILTER_LENGTH,
  nextHomePage,
  previousHomePage,
  withHomeView,
  withSearch,
  withToolFilter,
} from './home-state.ts';

export type HomeAction =
  | { readonly kind: 'review' | 'ignore'; readonly token: CardToken }
  /** Show Home with these pages and filters. */
  | { readonly kind: 'show'; readonly state: HomeState };

/** Parses what a click on Home asks for; undefined if its value is not one of ours. */
export function parseHomeAction(
  id: string,
  value: string,
  state: HomeState,
): HomeAction | undefined {
  switch (id) {
    case ACTIONS.homeReview:
    case ACTIONS.homeIgnore: {
      const token = parseCardToken(value);
      const kind = id === ACTIONS.homeReview ? 'review' : 'ignore';
      return token && { kind, token };
    }
    case ACTIONS.homeRefresh:
      return { kind: 'show', state };
    case ACTIONS.homeBack:
      return isList(value) ? { kind: 'show', state: previousHomePage(state, value) } : undefined;
    case ACTIONS.homeOn: {
      const [list = '', after = ''] = value.split(' ');
      return isList(list) ? { kind: 'show', state: nextHomePage(state, list, after) } : undefined;
    }
    default:
      return parseFilter(id, value, state);
  }
}

function parseFilter(id: string, value: string, state: HomeState): HomeAction | undefined {
  switch (id) {
    case ACTIONS.homeShow: {
      const view = HOME_VIEWS.find((each) => each === value);
      return view && { kind: 'show', state: withHomeView(state, view) };
    }
    case ACTIONS.homeTool:
      return isTool(value)
        ? { kind: 'show', state: withToolFilter(state, value === ALL_TOOLS ? undefined : value) }
        : undefined;
    case ACTIONS.homeSearch:
      return { kind: 'show', state: withSearch(state, value) };
    case ACTIONS.homeClear:
      return { kind: 'show', state: withSearch(state, undefined) };
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
