/** Who is mentioned for a pending call: each person once, or one digest message for many calls. */

import type { Call } from '../../domain/calls/call.ts';
import {
  cardLocationOf,
  isAwayFromRequester,
  mentionTargetsOf,
} from '../../domain/cards/card-channel.ts';
import { digestMessageId, type MentionPlan } from '../../domain/cards/digest-message.ts';
import { renderDigestKey } from '../../domain/ports/agenda.ts';
import type { DeskDeps } from '../deps.ts';

/** More cards than this in a channel within the window are announced by one digest message. */
const DEFAULT_DIGEST_OVER = 10;
const WINDOW_MS = 60_000;
/** A channel that keeps getting many calls is mentioned once an hour. */
const LIFE_MS = 3_600_000;
/** Minimum time between updates of a digest message. */
const UPDATE_MS = 5_000;

/** Occasions for mentions other than a new card; each counts as one more arrival. */
export type AnnouncementOccasion = 'remind' | 'escalate';

export interface Announcements {
  /**
   * Returns whom to mention for a call, and schedules its digest message, if any. Idempotent.
   * Undefined if it mentions nobody.
   */
  register(call: Call, occasion?: AnnouncementOccasion): Promise<MentionPlan | undefined>;
  /** Removes a call from its digest messages, except those of the channel `except`. */
  unregister(call: Call, except?: string): Promise<void>;
}

/** Creates the announcements of one worker; the counts are stored. */
export function createAnnouncements({
  store,
  clock,
  digestOver = DEFAULT_DIGEST_OVER,
}: Pick<DeskDeps, 'store' | 'clock' | 'digestOver'>): Announcements {
  const limits = { over: digestOver, windowMs: WINDOW_MS, lifeMs: LIFE_MS };

  async function wake(digestMessage: string, dueAt: number): Promise<void> {
    await store.agenda.wake([{ key: renderDigestKey(digestMessage), dueAt }]);
  }

  return {
    async register(call, occasion) {
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
      const plan = await store.digestMessages.registerArrival(arrival, limits);
      const { digestMessage } = plan;
      if (digestMessage !== undefined) {
        await wake(
          digestMessage,
          digestMessage === digestMessageId(arrival) ? now : now + UPDATE_MS,
        );
      }
      return plan;
    },
    async unregister(call, except) {
      if (!mayMention(call)) return;
      for (const digestMessage of await store.digestMessages.removeArrival(call.id, except)) {
        await wake(digestMessage, clock.now() + UPDATE_MS);
      }
    },
  };
}

/**
 * False for a call that only its requester could decide in their own thread: it was never
 * announced.
 */
function mayMention(call: Call): boolean {
  const { route, escalatedFrom } = call;
  const others = route?.approvers.some((approver) => approver !== 'requester');
  const isInOwnThread =
    !isAwayFromRequester(call) && route?.channel === undefined && escalatedFrom === undefined;
  return others === true || !isInOwnThread;
}
