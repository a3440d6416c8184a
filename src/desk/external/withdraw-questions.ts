import type { Call } from '../../domain/calls/call.ts';
import { isServerQuestion } from '../../domain/calls/call-origin.ts';
import { withdrawCall } from '../../domain/calls/decision-rules.ts';
import { advanceByStep } from '../calls/advance-call.ts';
import type { DeskDeps } from '../deps.ts';

type CloseDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** What stands for the assistant message in the calls that a running call's server asks people. */
export function questionMessageId(callId: string): string {
  return `server:${callId}`;
}

/** Takes back a question that nobody waits for; one that is over stays as it is. */
export async function withdrawQuestion({ store, clock }: CloseDeps, id: string): Promise<void> {
  await advanceByStep({ store }, id, (call) => {
    const step = withdrawCall(call, 'cancelled', clock.now());
    return step && { ...step, call: { ...step.call, delivered: true } };
  });
}

/** Takes back what the server of a call has asked people and nobody has answered: the call runs no more. */
export async function withdrawQuestions(deps: CloseDeps, call: Call): Promise<void> {
  if ((await deps.store.ledger.get(call.id))?.status === 'running') return;
  const calls = await deps.store.ledger.ofThread(call.thread, call.turn);
  const own = calls.filter(
    (each) =>
      isServerQuestion(each) && each.messageId === questionMessageId(call.id) && !each.outcome,
  );
  for (const { id } of own) await withdrawQuestion(deps, id);
}
