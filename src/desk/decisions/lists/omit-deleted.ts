import type { Call, CardPlace } from '../../../domain/calls/call.ts';
import { isChannelItself, placeOf } from '../../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../../deps.ts';

/** Omits, from the first calls of a list, those whose thread and card have both been deleted. */
export type OmitDeleted = (calls: readonly Call[], seen: number) => Promise<readonly Call[]>;

/** Limits the rounds of checks; a longer list may still show some deleted ones. */
const MAX_ROUNDS = 8;

/** Builds the filter. Without `visibility` nothing is omitted. */
export function createOmitDeleted({
  visibility,
  store,
}: Pick<DeskDeps, 'visibility' | 'store'>): OmitDeleted {
  async function isDeleted(call: Call): Promise<boolean> {
    if (visibility === undefined) return false;
    const thread = placeOf(call.thread);
    const root = { channel: thread.channel, ts: thread.root };
    const card = await store.ledger.cardOf(call.id);
    const places = [...(isChannelItself(thread) ? [] : [root]), ...(card ? [card] : [])];
    return places.length > 0 && (await areAllDeleted(places));
  }

  async function areAllDeleted(places: readonly CardPlace[]): Promise<boolean> {
    const answers = await Promise.all(places.map((place) => visibility?.isGone(place)));
    return answers.every((answer) => answer === true);
  }

  return async function omitDeleted(calls, seen) {
    const kept: Call[] = [];
    let rest = calls;
    for (let round = 0; round < MAX_ROUNDS && kept.length < seen && rest.length > 0; round += 1) {
      const some = rest.slice(0, seen - kept.length);
      rest = rest.slice(some.length);
      const deleted = await Promise.all(some.map(isDeleted));
      kept.push(...some.filter((_, i) => !deleted[i]));
    }
    return [...kept, ...rest];
  };
}
