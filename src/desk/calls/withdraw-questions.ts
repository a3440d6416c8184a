import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { withdrawCall } from '../../domain/rules/end-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { advanceByStep } from './advance-call.ts';

type WithdrawDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** The message id of the questions that a running call's server asks. */
export function questionMessageId(callId: string): string {
  return `server:${callId}`;
}

/** Withdraws a question that nobody waits for; does nothing if it is over. */
export async function withdrawQuestion({ store, clock }: WithdrawDeps, id: string): Promise<void> {
  await advanceByStep({ store }, id, (call) => {
    const step = withdrawCall(call, 'cancelled', clock.now());
    return step && { ...step, call: { ...step.call, delivered: true } };
  });
}

/** Withdraws the unanswered questions of a call's server once the call is no longer running. */
export async function withdrawQuestions(deps: WithdrawDeps, call: Call): Promise<void> {
  if ((await deps.store.ledger.get(call.id))?.status === 'running') return;
  const calls = await deps.store.ledger.ofThread(call.thread, call.turn);
  const own = calls.filter(
    (each) =>
      behaviourOf(each).partOf === 'run' &&
      each.messageId === questionMessageId(call.id) &&
      !each.outcome,
  );
  for (const { id } of own) await withdrawQuestion(deps, id);
}
