/** What a person looks at on their Home: the view itself carries it, so that no replica has to remember. */
import { LIMITS } from '../text/limits.ts';

/** What Home can show. */
export const HOME_VIEWS = ['all', 'for-you', 'asked', 'team', 'decided', 'workspace'] as const;

export type HomeViewName = (typeof HOME_VIEWS)[number];

const LISTS = ['waiting', 'asked', 'team', 'decided'] as const;

/** A list of Home that has pages. */
export type HomeList = (typeof LISTS)[number];

/** What is shown, by which filters, and for each list the calls after which its pages began, as far as the person has gone; none on the first page. */
export interface HomeState extends Readonly<Record<HomeList, readonly string[]>> {
  readonly view: HomeViewName;
  readonly tool?: string | undefined;
  readonly search?: string | undefined;
}

const FIRST_PAGES = { waiting: [], asked: [], team: [], decided: [] } as const;

/** The first page of each list, of everything. */
export const INITIAL_HOME: HomeState = { view: 'all', ...FIRST_PAGES };

const CALL = /^[A-Za-z0-9_-]{1,60}$/;
/** The longest name of a tool that can be filtered by, and the longest search. */
export const MAX_FILTER_LENGTH = 75;

/** Goes on to the page of a list that begins after a call. */
export function nextHomePage(place: HomeState, list: HomeList, after: string): HomeState {
  if (!CALL.test(after)) return place;
  return trim({ ...place, [list]: [...place[list], after] });
}

/** Goes back to the page before; the first one stays. */
export function previousHomePage(place: HomeState, list: HomeList): HomeState {
  return { ...place, [list]: place[list].slice(0, -1) };
}

/** Shows something else, from its first page. */
export function withHomeView({ tool }: HomeState, view: HomeViewName): HomeState {
  return { view, ...FIRST_PAGES, ...(tool !== undefined && { tool }) };
}

/** Filters by a tool, or by none. */
export function withToolFilter({ view, search }: HomeState, tool: string | undefined): HomeState {
  return toPlace(view, tool, search, FIRST_PAGES);
}

/** Searches for a text, or for none. */
export function withSearch({ view, tool }: HomeState, search: string | undefined): HomeState {
  const words = search?.trim().slice(0, MAX_FILTER_LENGTH);
  return toPlace(view, tool, words === '' ? undefined : words, FIRST_PAGES);
}

function toPlace(
  view: HomeViewName,
  tool: string | undefined,
  search: string | undefined,
  pages: Readonly<Record<HomeList, readonly string[]>>,
): HomeState {
  const filters = { ...(tool !== undefined && { tool }), ...(search !== undefined && { search }) };
  return { view, ...filters, ...pages };
}

/** Beyond many pages the first ones are forgotten. */
function trim(place: HomeState): HomeState {
  if (encodeHomeState(place).length <= LIMITS.viewMetadata) return place;
  const longest = LISTS.reduce((a, b) => (place[a].length >= place[b].length ? a : b));
  return trim({ ...place, [longest]: place[longest].slice(1) });
}

/** Writes a place as the view carries it. */
export function encodeHomeState({ view, tool, search, ...lists }: HomeState): string {
  const pages = LISTS.map((list) => lists[list].join(','));
  return JSON.stringify([view, tool ?? '', search ?? '', ...pages]);
}

/** Reads a place; the start for anything that `encodeHomePlace` did not write. */
export function parseHomeState(text: string): HomeState {
  const [view, tool, search, ...lists] = readTexts(text);
  const name = HOME_VIEWS.find((each) => each === view);
  if (name === undefined || lists.length !== LISTS.length) return INITIAL_HOME;
  const pages = lists.map((list) => (list === '' ? [] : list.split(',')));
  if (!pages.flat().every((id) => CALL.test(id))) return INITIAL_HOME;
  const [waiting = [], asked = [], team = [], decided = []] = pages;
  const filters = [tool, search].map((each) => each?.slice(0, MAX_FILTER_LENGTH) || undefined);
  return toPlace(name, filters[0], filters[1], { waiting, asked, team, decided });
}

function readTexts(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : [];
  } catch {
    return [];
  }
}
