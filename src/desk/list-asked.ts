import type { Call } from '../domain/call.ts';
import type { Person } from '../domain/person.ts';
import type { DeskDeps } from './deps.ts';
import type { ListPage } from './list-waiting.ts';

/** What a person asked for. */
export interface AskedFor {
  /** Their calls that are not over, newest first. */
  readonly open: readonly Call[];
  /** The last few on which people were asked and that are over, newest first; on the last page only. */
  readonly over: readonly Call[];
  /** The call after which the next page begins; absent when this is the last one. */
  readonly next?: string;
}

export type ListAsked = (person: Person, page: ListPage) => Promise<AskedFor>;

const MOST_OVER = 5;
/** Most calls run without anybody being asked: among so many of the last ones the few are looked for. */
const LAST_ONES = 50;

/** Builds the use case: lists the calls that were made in a person's name, to nobody but them. */
export function createListAsked({ store }: Pick<DeskDeps, 'store'>): ListAsked {
  const { ledger } = store;
  return async function listAsked(person, { after, limit }) {
    const found = await ledger.madeBy(person, { isOver: false, before: after, limit: limit + 1 });
    const open = found.slice(0, limit);
    const next = found.length > limit ? open.at(-1)?.id : undefined;
    if (next !== undefined) return { open, over: [], next };
    const last = await ledger.madeBy(person, { isOver: true, limit: LAST_ONES });
    return { open, over: last.filter(({ route }) => route !== undefined).slice(0, MOST_OVER) };
  };
}
