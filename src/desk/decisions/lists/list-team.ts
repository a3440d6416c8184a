import type { Call } from '../../../domain/calls/call.ts';
import { homeOf } from '../../../domain/cards/card-channel.ts';
import type { Person } from '../../../domain/people/person.ts';
import { refuseStanding } from '../../../domain/people/sender-policy.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import type { DeskDeps } from '../../deps.ts';
import { askWho, NOT_KNOWN } from '../find-profile.ts';
import type { SeenPage } from './list-waiting.ts';
import { createDropGone } from './omit-deleted.ts';
import { inBatches, takePage } from './paginate-calls.ts';

/** What waits for anybody, where a person can see its card. */
export type TeamList =
  | { readonly kind: 'page'; readonly calls: readonly Call[]; readonly next?: string }
  | { readonly kind: 'nobody'; readonly why: Sentence };

export type ListTeam = (person: Person, page: SeenPage) => Promise<TeamList>;

/** A page is never more work than to look at so many calls. */
const MOST_LOOKED_AT = 300;
const BATCH = 50;

/** Builds the use case: lists the pending calls whose channel a person can open, oldest first. */
export function createListTeam(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'sight' | 'log'>,
): ListTeam {
  const { sight, store } = deps;
  const dropGone = createDropGone(deps);

  async function isSeen(call: Call, person: Person): Promise<boolean> {
    if (call.requester.team !== person.team) return false;
    return (await sight?.canOpen(person, homeOf(call).channel)) ?? false;
  }

  async function find(person: Person, { after, limit, tool }: SeenPage) {
    const source = inBatches(after, BATCH, (last) =>
      store.ledger.withStatus('pending', { after: last, limit: BATCH }),
    );
    const fits = async (call: Call) =>
      (tool === undefined || call.tool === tool) && (await isSeen(call, person));
    return await takePage(source, fits, { after, limit, most: MOST_LOOKED_AT });
  }

  return async function listTeam(person, page) {
    const profile = await askWho(deps, person);
    const why = profile === undefined ? NOT_KNOWN : refuseStanding(profile)?.sentence;
    if (why !== undefined) return { kind: 'nobody', why };
    const { calls, next } = await find(person, page);
    const seen = await dropGone(calls, page.seen ?? 0);
    return { kind: 'page', calls: seen, ...(next !== undefined && { next }) };
  };
}
