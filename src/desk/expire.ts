import { expireKey } from '../domain/agenda.ts';
import type { Call } from '../domain/call.ts';
import { expire } from '../domain/decide.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';

/** Builds the use case: ends a call that nobody decided by its deadline; before it, sees to it that it is looked at then. */
export function createExpire({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function expireCall(callId: string): Promise<void> {
    for (;;) {
      const call = await store.ledger.get(callId);
      const dueAt = call && dueAtOf(call);
      if (!call || dueAt === undefined) return;
      // The agenda keeps the earlier of two times: it was woken for a deadline that has been put off.
      if (clock.now() < dueAt) return await store.agenda.wake([{ key: expireKey(callId), dueAt }]);
      const step = expire(call, clock.now());
      if (await store.ledger.write(call, [step], effectsOf(call, [step], undefined))) return;
    }
  };
}

/** When a call expires; undefined when it no longer does. */
function dueAtOf({ status, outcome, deadlineAt }: Call): number | undefined {
  if (status === 'unknown') return outcome === undefined ? deadlineAt : undefined;
  return status === 'pending' || status === 'approved' ? deadlineAt : undefined;
}
