import { shortDigest } from '../../domain/calls/digest.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import type { Log } from '../../domain/ports/log.ts';

/** Alerts the operator about stored calls that differ from what was shown. */
export interface IntegrityAlarm {
  /** Alerts for those written steps that stopped a call as forged. */
  alarmIfForged(steps: readonly Step[]): void;
  /** The number of alarms since the start; the audit has all of them. */
  count(): number;
}

/** Creates the alarm: logs one error each, with the count so far. */
export function createIntegrityAlarm(log: Pick<Log, 'error'>): IntegrityAlarm {
  let alarms = 0;
  return {
    alarmIfForged(steps) {
      for (const { cause, call } of steps) {
        if (cause !== 'integrity') continue;
        alarms += 1;
        const shown = shortDigest(call.digest);
        log.error(
          { alarm: 'integrity_error', call: call.id, tool: call.tool, shown, count: alarms },
          'A stored call is not the one that was shown, so it was stopped. Something has changed the database.',
        );
      }
    },
    count: () => alarms,
  };
}
