/** Where a person is in the lists of their Home: the view itself carries it, so that no replica has to remember. */
import { LIMITS } from '../limits.ts';

/** A list of Home that has pages. */
export type HomeList = 'waiting' | 'asked';

/** For each list the calls after which its pages began, as far as the person has gone; none on the first page. */
export type HomePlace = Readonly<Record<HomeList, readonly string[]>>;

/** The first page of each list. */
export const HOME_START: HomePlace = { waiting: [], asked: [] };

const CALL = /^[A-Za-z0-9_-]{1,60}$/;
/** All of both lists, with what stands between them, is less than Slack's limit. */
const MOST_PAGES = Math.floor(LIMITS.viewMetadata / 2 / 61);

/** Goes on to the page of a list that begins after a call; beyond many pages the first ones are forgotten. */
export function goOn(place: HomePlace, list: HomeList, after: string): HomePlace {
  if (!CALL.test(after)) return place;
  return { ...place, [list]: [...place[list], after].slice(-MOST_PAGES) };
}

/** Goes back to the page before; the first one stays. */
export function goBack(place: HomePlace, list: HomeList): HomePlace {
  return { ...place, [list]: place[list].slice(0, -1) };
}

/** Writes a place as the view carries it. */
export function encodeHomePlace({ waiting, asked }: HomePlace): string {
  return `${waiting.join(',')};${asked.join(',')}`;
}

/** Reads a place; the start for anything that `encodeHomePlace` did not write. */
export function parseHomePlace(text: string): HomePlace {
  const [waiting, asked, ...rest] = text
    .split(';')
    .map((list) => (list === '' ? [] : list.split(',')));
  const isOurs = rest.length === 0 && [...(waiting ?? []), ...(asked ?? [])].every(isCall);
  return isOurs && waiting && asked ? { waiting, asked } : HOME_START;
}

function isCall(text: string): boolean {
  return CALL.test(text);
}
