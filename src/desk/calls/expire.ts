import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { expireKey } from '../../domain/ports/agenda.ts';
import { ruleExpiry } from '../../domain/rules/end-rules.ts';
import { abandonRun } from '../../domain/rules/execution-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { advanceByStep } from './advance-call.ts';

/**
 * Builds the use case: ends a call at its deadline. Covers calls nobody decided, took or reported.
 * Before the deadline, schedules the next check.
 */
export function createExpire({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  /**
   * False if the deadline has passed. Otherwise schedules the check again: the agenda keeps the
   * earlier of two times, so a postponed deadline needs it.
   */
  async function checkLater(call: Call): Promise<boolean> {
    const dueAt = dueAtOf(call);
    if (dueAt === undefined) return true;
    if (clock.now() >= dueAt) return false;
    await store.agenda.wake([{ key: expireKey(call), dueAt }]);
    return true;
  }

  return async function expireCall(callId: string): Promise<void> {
    await advanceByStep({ store }, callId, async (call) =>
      (await checkLater(call)) ? undefined : stepOf(call, clock.now()),
    );
  };
}

function stepOf(call: Call, now: number): Step {
  return call.status === 'running' ? abandonRun(call, 'silence', now) : ruleExpiry(call, now);
}

/** When the call expires; undefined if it no longer does. */
function dueAtOf(call: Call): number | undefined {
  const { status, outcome, deadlineAt } = call;
  if (status === 'running') return behaviourOf(call).runBy === 'caller' ? deadlineAt : undefined;
  if (status === 'unknown') return outcome === undefined ? deadlineAt : undefined;
  return status === 'pending' || status === 'approved' ? deadlineAt : undefined;
}
