import type { Call } from '../../../domain/calls/call.ts';
import { callTitle } from '../../../domain/cards/call-name.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { DeskDeps } from '../../deps.ts';
import type { ListPage } from './list-waiting.ts';
import { inBatches, takeCallPage } from './paginate-calls.ts';

/** What a person has decided. */
export interface DecidedList {
  /** The last decision first. */
  readonly calls: readonly Call[];
  /** The call after which the next page begins; absent when nothing more is there. */
  readonly next?: string;
}

export type ListDecided = (
  person: Person,
  page: ListPage & {
    /** What the name of the call, its tool or its requester holds. */
    readonly search?: string | undefined;
  },
) => Promise<DecidedList>;

/** For so long it can be found what a person has decided. */
export const DECIDED_DAYS = 30;
/** A page of a search is never more work than to look at so many calls. */
const MAX_LOOKED_AT = 500;
const BATCH = 100;

/** Builds the use case: lists the calls on which a person has decided, to nobody but them. */
export function createListDecided({
  clock,
  directory,
  log,
  store,
}: Pick<DeskDeps, 'store' | 'directory' | 'clock' | 'log'>): ListDecided {
  async function nameOf(person: Person): Promise<string> {
    try {
      return (await directory.profileOf(person)).name ?? '';
    } catch (error) {
      log.debug({ err: error, person }, 'Nobody told the name of a requester.');
      return '';
    }
  }

  async function fits(call: Call, words: readonly string[]): Promise<boolean> {
    const { agent = '', outside, requester, tool } = call;
    const texts = [callTitle(call), tool, agent, outside?.name ?? '', requester.user];
    const known = texts.join('\n').toLowerCase();
    if (words.every((word) => known.includes(word))) return true;
    const all = `${known}\n${(await nameOf(requester)).toLowerCase()}`;
    return words.every((word) => all.includes(word));
  }

  return async function listDecided(person, { after, limit, search = '', tool }) {
    const since = clock.now() - DECIDED_DAYS * 86_400_000;
    const words = search
      .toLowerCase()
      .split(/[\s@]+/)
      .filter((word) => word !== '');
    const isPlain = words.length === 0 && tool === undefined;
    const size = isPlain ? limit + 1 : BATCH;
    const source = inBatches(after, size, (before) =>
      store.ledger.decidedBy(person, { since, before, limit: size }),
    );
    const isWanted = async (call: Call) =>
      (tool === undefined || call.tool === tool) && (await fits(call, words));
    const most = MAX_LOOKED_AT;
    const { calls, next } = await takeCallPage(source, isWanted, { after, limit, most });
    return { calls, ...(next !== undefined && { next }) };
  };
}
