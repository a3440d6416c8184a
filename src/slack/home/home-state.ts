/**
 * What a person's Home shows. The view itself carries it, so that no replica has to remember it.
 */
import { LIMITS } from '../text/limits.ts';

export const HOME_VIEWS = ['all', 'for-you', 'asked', 'team', 'decided', 'workspace'] as const;

export type HomeViewName = (typeof HOME_VIEWS)[number];

const LISTS = ['waiting', 'asked', 'team', 'decided'] as const;

/** A list on Home that has pages. */
export type HomeList = (typeof LISTS)[number];

/**
 * The view and its filters. For each list: the ids of the calls after which the visited pages
 * began; empty on the first page.
 */
export interface HomeState extends Readonly<Record<HomeList, readonly string[]>> {
  readonly view: HomeViewName;
  readonly tool?: string | undefined;
  readonly search?: string | undefined;
}

const FIRST_PAGES = { waiting: [], asked: [], team: [], decided: [] } as const;

/** The first page of every list, unfiltered. */
export const INITIAL_HOME: HomeState = { view: 'all', ...FIRST_PAGES };

const CALL = /^[A-Za-z0-9_-]{1,60}$/;
/** The longest tool name for the filter, and the longest search. */
export const MAX_FILTER_LENGTH = 75;

/** Moves to the page that begins after a call. */
export function nextHomePage(state: HomeState, list: HomeList, after: string): HomeState {
  if (!CALL.test(after)) return state;
  return trim({ ...state, [list]: [...state[list], after] });
}

/** Moves to the previous page, if there is one. */
export function previousHomePage(state: HomeState, list: HomeList): HomeState {
  return { ...state, [list]: state[list].slice(0, -1) };
}

/** Switches the view, at its first page. */
export function withHomeView({ tool }: HomeState, view: HomeViewName): HomeState {
  return { view, ...FIRST_PAGES, ...(tool !== undefined && { tool }) };
}

/** Sets or removes the tool filter. */
export function withToolFilter({ view, search }: HomeState, tool: string | undefined): HomeState {
  return toState(view, tool, search, FIRST_PAGES);
}

/** Sets or removes the search. */
export function withSearch({ view, tool }: HomeState, search: string | undefined): HomeState {
  const words = search?.trim().slice(0, MAX_FILTER_LENGTH);
  return toState(view, tool, words === '' ? undefined : words, FIRST_PAGES);
}

function toState(
  view: HomeViewName,
  tool: string | undefined,
  search: string | undefined,
  pages: Readonly<Record<HomeList, readonly string[]>>,
): HomeState {
  const filters = { ...(tool !== undefined && { tool }), ...(search !== undefined && { search }) };
  return { view, ...filters, ...pages };
}

/** Drops the first pages if the state exceeds Slack's limit. */
function trim(state: HomeState): HomeState {
  if (encodeHomeState(state).length <= LIMITS.viewMetadata) return state;
  const longest = LISTS.reduce((a, b) => (state[a].length >= state[b].length ? a : b));
  return trim({ ...state, [longest]: state[longest].slice(1) });
}

/** Encodes the state for the view's metadata. */
export function encodeHomeState({ view, tool, search, ...lists }: HomeState): string {
  const pages = LISTS.map((list) => lists[list].join(','));
  return JSON.stringify([view, tool ?? '', search ?? '', ...pages]);
}

/** Parses the state. Returns the initial one for anything that `encodeHomeState` did not write. */
export function parseHomeState(text: string): HomeState {
  const [view, tool, search, ...lists] = readTexts(text);
  const name = HOME_VIEWS.find((each) => each === view);
  if (name === undefined || lists.length !== LISTS.length) return INITIAL_HOME;
  const pages = lists.map((list) => (list === '' ? [] : list.split(',')));
  if (!pages.flat().every((id) => CALL.test(id))) return INITIAL_HOME;
  const [waiting = [], asked = [], team = [], decided = []] = pages;
  const filters = [tool, search].map((each) => each?.slice(0, MAX_FILTER_LENGTH) || undefined);
  return toState(name, filters[0], filters[1], { waiting, asked, team, decided });
}

function readTexts(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : [];
  } catch {
    return [];
  }
}
