/** Who is called for a call that waits: each of its people once, or by one bulletin for many calls. */

import type { Call } from '../../domain/calls/call.ts';
import {
  cardLocationOf,
  isAwayFromRequester,
  mentionTargetsOf,
} from '../../domain/cards/card-channel.ts';
import { digestMessageId, type MentionPlan } from '../../domain/cards/digest-message.ts';
import { renderDigestKey } from '../../domain/ports/agenda.ts';
import type { DeskDeps } from '../deps.ts';

/** More cards than this in a channel within the window are announced by one bulletin. */
const DEFAULT_DIGEST_OVER = 10;
const WINDOW_MS = 60_000;
/** Whoever goes on getting many calls hears of it once an hour. */
const LIFE_MS = 3_600_000;
/** A bulletin is brought up to date no more often than this. */
const UPDATE_MS = 5_000;

/** For what people are called besides a new card: each counts as one more arrival. */
export type AnnouncementOccasion = 'remind' | 'escalate';

export interface Announcements {
  /** Tells whom a call may call now, and has the bulletin drawn that speaks for it, if any; the same when asked again. Undefined where it calls nobody. */
  arrive(call: Call, occasion?: AnnouncementOccasion): Promise<MentionPlan | undefined>;
  /** Takes a call from the bulletins that speak for it, but for those of the channel `except`. */
  leave(call: Call, except?: string): Promise<void>;
}

/** Creates the announcements of one worker; what they count is stored. */
export function createAnnouncements({
  store,
  clock,
  digestOver = DEFAULT_DIGEST_OVER,
}: Pick<DeskDeps, 'store' | 'clock' | 'digestOver'>): Announcements {
  const crowding = { over: digestOver, windowMs: WINDOW_MS, lifeMs: LIFE_MS };

  async function wake(bulletin: string, dueAt: number): Promise<void> {
    await store.agenda.wake([{ key: renderDigestKey(bulletin), dueAt }]);
  }

  return {
    async arrive(call, occasion) {
      const calls = mentionTargetsOf(call);
      if (calls.length === 0) return undefined;
      const now = clock.now();
      const arrival = {
        channel: cardLocationOf(call).channel,
        callId: call.id,
        ...(occasion && { occasion: `${occasion}:${call.route?.name}:${call.pendingSince}` }),
        at: now,
        calls,
      };
      const welcome = await store.bulletins.registerArrival(arrival, crowding);
      const { bulletin } = welcome;
      if (bulletin !== undefined) {
        await wake(bulletin, bulletin === digestMessageId(arrival) ? now : now + UPDATE_MS);
      }
      return welcome;
    },
    async leave(call, except) {
      if (!mayCall(call)) return;
      for (const bulletin of await store.bulletins.removeArrival(call.id, except)) {
        await wake(bulletin, clock.now() + UPDATE_MS);
      }
    },
  };
}

/** A call that has been for the requester alone, in their own thread, was never announced. */
function mayCall(call: Call): boolean {
  const { route, escalatedFrom } = call;
  const others = route?.approvers.some((approver) => approver !== 'requester');
  const isKnown =
    !isAwayFromRequester(call) && route?.channel === undefined && escalatedFrom === undefined;
  return others === true || !isKnown;
}
