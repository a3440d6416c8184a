import type { Call } from '../../../domain/calls/call.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { DeskDeps } from '../../deps.ts';
import type { SeenPage } from './list-waiting.ts';
import { createOmitDeleted } from './omit-deleted.ts';

/** What a person asked for. */
export interface RequestedCalls {
  /** Their calls that are not over, newest first. */
  readonly open: readonly Call[];
  /** The last few on which people were asked and that are over, newest first; on the last page only. */
  readonly over: readonly Call[];
  /** The call after which the next page begins; absent when this is the last one. */
  readonly next?: string;
}

export type ListRequested = (person: Person, page: SeenPage) => Promise<RequestedCalls>;

const MAX_OVER = 5;
/** Most calls run without anybody being asked: among so many of the last ones the few are looked for. */
const LAST_ONES = 50;

/** Builds the use case: lists the calls that were made in a person's name, to nobody but them. */
export function createListRequested(deps: Pick<DeskDeps, 'store' | 'visibility'>): ListRequested {
  const { ledger } = deps.store;
  const dropGone = createOmitDeleted(deps);

  return async function listAsked(person, { after, limit, seen = 0, tool }) {
    const isOfTool = (call: Call) => tool === undefined || call.tool === tool;
    const found = await ledger.requestedBy(person, {
      isOver: false,
      before: after,
      limit: tool === undefined ? limit + 1 : LAST_ONES,
    });
    const fitting = found.filter(isOfTool);
    const page = fitting.slice(0, limit);
    const open = await dropGone(page, seen);
    const next = fitting.length > limit ? page.at(-1)?.id : undefined;
    if (next !== undefined) return { open, over: [], next };
    const last = await ledger.requestedBy(person, { isOver: true, limit: LAST_ONES });
    const asked = last.filter((call) => call.route !== undefined && isOfTool(call));
    return { open, over: await dropGone(asked.slice(0, MAX_OVER), seen) };
  };
}
