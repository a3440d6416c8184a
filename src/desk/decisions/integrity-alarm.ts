import { shortDigest } from '../../domain/calls/digest.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import type { Log } from '../../domain/ports/log.ts';

/** Whoever watches over the app hears of stored calls that are not what was shown. */
export interface IntegrityAlarm {
  /** Sounds for those of the written steps that stopped a call for this. */
  sound(steps: readonly Step[]): void;
  /** How often it has sounded since the start; the audit holds all of them. */
  count(): number;
}

/** Creates the alarm: one line of the log each, as an error, with the number so far. */
export function createIntegrityAlarm(log: Pick<Log, 'error'>): IntegrityAlarm {
  let sounded = 0;
  return {
    sound(steps) {
      for (const { cause, call } of steps) {
        if (cause !== 'integrity') continue;
        sounded += 1;
        const shown = shortDigest(call.digest);
        log.error(
          { alarm: 'integrity_error', call: call.id, tool: call.tool, shown, count: sounded },
          'A stored call is not the one that was shown, so it was stopped. Somebody or something has changed the database.',
        );
      }
    },
    count: () => sounded,
  };
}
