import type { Call } from '../../../domain/calls/call.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { DeskDeps } from '../../deps.ts';
import type { SeenPage } from './list-waiting.ts';
import { createOmitDeleted } from './omit-deleted.ts';

/** The calls that a person requested. */
export interface RequestedCalls {
  /** Calls that are not over, newest first. */
  readonly open: readonly Call[];
  /**
   * The last few finished calls that people were asked about, newest first; only on the last page.
   */
  readonly over: readonly Call[];
  /** The call after which the next page begins; absent on the last page. */
  readonly next?: string;
}

export type ListRequested = (person: Person, page: SeenPage) => Promise<RequestedCalls>;

const MAX_OVER = 5;
/** How many finished calls are read to find those few: most calls run without asking anyone. */
const RECENT = 50;

/** Builds the use case: lists the calls made in a person's name; visible only to that person. */
export function createListRequested(deps: Pick<DeskDeps, 'store' | 'visibility'>): ListRequested {
  const { ledger } = deps.store;
  const omitDeleted = createOmitDeleted(deps);

  return async function listRequested(person, { after, limit, seen = 0, tool }) {
    const isOfTool = (call: Call) => tool === undefined || call.tool === tool;
    const found = await ledger.requestedBy(person, {
      isOver: false,
      before: after,
      limit: tool === undefined ? limit + 1 : RECENT,
    });
    const fitting = found.filter(isOfTool);
    const page = fitting.slice(0, limit);
    const open = await omitDeleted(page, seen);
    const next = fitting.length > limit ? page.at(-1)?.id : undefined;
    if (next !== undefined) return { open, over: [], next };
    const last = await ledger.requestedBy(person, { isOver: true, limit: RECENT });
    const asked = last.filter((call) => call.route !== undefined && isOfTool(call));
    return { open, over: await omitDeleted(asked.slice(0, MAX_OVER), seen) };
  };
}
