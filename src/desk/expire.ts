import type { Call } from '../domain/call.ts';
import { expire } from '../domain/decide.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';

/** Builds the use case: ends a call that nobody decided by its deadline; does nothing before it. */
export function createExpire({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function expireCall(callId: string): Promise<void> {
    for (;;) {
      const call = await store.ledger.get(callId);
      if (!call || !isOver(call, clock.now())) return;
      const step = expire(call, clock.now());
      if (await store.ledger.write(call, [step], effectsOf(call, [step], undefined))) return;
    }
  };
}

function isOver(call: Call, now: number): boolean {
  if (call.deadlineAt === undefined || now < call.deadlineAt) return false;
  if (call.status === 'unknown') return call.outcome === undefined;
  return call.status === 'pending' || call.status === 'approved';
}
