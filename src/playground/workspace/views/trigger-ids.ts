import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { WorkspaceFaults } from '../workspace-faults.ts';

/**
 * The lifetime of a trigger id.
 * https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses
 */
const TRIGGER_LIFE_MS = 3_000;

/** The person who clicked, and the view that contains the element. */
export interface Trigger {
  readonly userId: string;
  readonly viewId?: string;
}

/** Issues trigger ids and accepts each once. */
export interface TriggerIds {
  issue(trigger: Trigger): string;
  take(triggerId: string): { trigger: Trigger } | { error: string };
}

/** Creates trigger ids that expire by the clock. */
export function createTriggerIds(clock: Clock, faults: WorkspaceFaults): TriggerIds {
  const issued = new Map<string, { trigger: Trigger; expiresAt: number; used: boolean }>();
  return {
    issue: (trigger) => {
      const id = `${Math.floor(clock.now() / 1000)}.${issued.size}.${randomBytes(8).toString('hex')}`;
      const lifeMs = faults.takeExpiredTrigger() ? 0 : TRIGGER_LIFE_MS;
      issued.set(id, { trigger, expiresAt: clock.now() + lifeMs, used: false });
      return id;
    },
    take: (triggerId) => {
      const found = issued.get(triggerId);
      if (found === undefined) {
        return { error: 'invalid_trigger_id' };
      }
      if (found.used) {
        return { error: 'exchanged_trigger_id' };
      }
      if (found.expiresAt <= clock.now()) {
        return { error: 'expired_trigger_id' };
      }
      found.used = true;
      return { trigger: found.trigger };
    },
  };
}
