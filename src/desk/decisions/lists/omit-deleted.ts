import type { Call, CardPlace } from '../../../domain/calls/call.ts';
import { isChannelItself, placeOf } from '../../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../../deps.ts';

/** Leaves out, of the first calls of a list, those that nobody can see any more: neither their thread nor their card is there. */
export type OmitDeleted = (calls: readonly Call[], seen: number) => Promise<readonly Call[]>;

/** A list with more of them than this is shown with some. */
const MAX_ROUNDS = 8;

/** Builds it; without sight nothing is left out. */
export function createOmitDeleted({
  visibility: sight,
  store,
}: Pick<DeskDeps, 'visibility' | 'store'>): OmitDeleted {
  async function isGone(call: Call): Promise<boolean> {
    if (sight === undefined) return false;
    const thread = placeOf(call.thread);
    const root = { channel: thread.channel, ts: thread.root };
    const card = await store.ledger.cardOf(call.id);
    const places = [...(isChannelItself(thread) ? [] : [root]), ...(card ? [card] : [])];
    return places.length > 0 && (await areAllGone(places));
  }

  async function areAllGone(places: readonly CardPlace[]): Promise<boolean> {
    const answers = await Promise.all(places.map((place) => sight?.isGone(place)));
    return answers.every((answer) => answer === true);
  }

  return async function dropGone(calls, seen) {
    const there: Call[] = [];
    let rest = calls;
    for (let round = 0; round < MAX_ROUNDS && there.length < seen && rest.length > 0; round += 1) {
      const some = rest.slice(0, seen - there.length);
      rest = rest.slice(some.length);
      const gone = await Promise.all(some.map(isGone));
      there.push(...some.filter((_, i) => !gone[i]));
    }
    return [...there, ...rest];
  };
}
