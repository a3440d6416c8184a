import type { Call } from '../../../domain/calls/call.ts';
import { cardLocationOf } from '../../../domain/cards/card-channel.ts';
import type { Person } from '../../../domain/people/person.ts';
import { explainRefusedMembership } from '../../../domain/people/sender-policy.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import type { DeskDeps } from '../../deps.ts';
import { findProfile, PROFILE_UNAVAILABLE } from '../../people/find-profile.ts';
import type { SeenPage } from './list-waiting.ts';
import { createOmitDeleted } from './omit-deleted.ts';
import { inBatches, takeCallPage } from './paginate-calls.ts';

/** Pending calls of everyone, if the person can see their cards. */
export type TeamList =
  | { readonly kind: 'page'; readonly calls: readonly Call[]; readonly next?: string }
  | { readonly kind: 'nobody'; readonly why: Sentence };

export type ListTeam = (person: Person, page: SeenPage) => Promise<TeamList>;

/** How many calls one page may read. */
const MAX_READ = 300;
const BATCH = 50;

/**
 * Builds the use case: lists the pending calls in channels that the person can open, oldest first.
 */
export function createListTeam(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'visibility' | 'log'>,
): ListTeam {
  const { visibility, store } = deps;
  const omitDeleted = createOmitDeleted(deps);

  async function isVisible(call: Call, person: Person): Promise<boolean> {
    if (call.requester.team !== person.team) return false;
    return (await visibility?.canOpen(person, cardLocationOf(call).channel)) ?? false;
  }

  async function find(person: Person, { after, limit, tool }: SeenPage) {
    const source = inBatches(after, BATCH, (last) =>
      store.ledger.withStatus('pending', { after: last, limit: BATCH }),
    );
    const fits = async (call: Call) =>
      (tool === undefined || call.tool === tool) && (await isVisible(call, person));
    return await takeCallPage(source, fits, { after, limit, most: MAX_READ });
  }

  return async function listTeam(person, page) {
    const profile = await findProfile(deps, person);
    const why =
      profile === undefined ? PROFILE_UNAVAILABLE : explainRefusedMembership(profile)?.sentence;
    if (why !== undefined) return { kind: 'nobody', why };
    const { calls, next } = await find(person, page);
    const seen = await omitDeleted(calls, page.seen ?? 0);
    return { kind: 'page', calls: seen, ...(next !== undefined && { next }) };
  };
}
