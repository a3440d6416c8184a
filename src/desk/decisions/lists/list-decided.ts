import type { Call } from '../../../domain/calls/call.ts';
import { callTitle } from '../../../domain/cards/call-name.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { DeskDeps } from '../../deps.ts';
import type { ListPage } from './list-waiting.ts';
import { inBatches, takeCallPage } from './paginate-calls.ts';

/** The calls that a person has decided. */
export interface DecidedList {
  /** Latest decision first. */
  readonly calls: readonly Call[];
  /** The call after which the next page begins; absent on the last page. */
  readonly next?: string;
}

export type ListDecided = (
  person: Person,
  page: ListPage & {
    /** Words to find in the call's title, tool, agent or requester. */
    readonly search?: string | undefined;
  },
) => Promise<DecidedList>;

/** How many days decisions stay listed. */
export const DECIDED_DAYS = 30;
/** How many calls one page of a search may read. */
const MAX_READ = 500;
const BATCH = 100;

/** Builds the use case: lists the calls a person has decided; visible only to that person. */
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
      log.debug({ err: error, person }, 'Could not look up the name of a requester.');
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
    const most = MAX_READ;
    const { calls, next } = await takeCallPage(source, isWanted, { after, limit, most });
    return { calls, ...(next !== undefined && { next }) };
  };
}
