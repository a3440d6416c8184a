import type { Call } from '../../../domain/calls/call.ts';
import type { GateAnswer } from '../../../domain/policy/route.ts';
import type { DeskDeps } from '../../deps.ts';

/**
 * Builds the limit on pending calls per person: above it, the call is refused and the agent told to
 * wait. The count is not atomic with the write, so threads that ask at the same moment may exceed
 * it by one call each.
 */
export function createPendingLimit({
  store,
  maxPendingPerPerson: most = Number.POSITIVE_INFINITY,
}: Pick<DeskDeps, 'store' | 'maxPendingPerPerson'>) {
  return async function limitPending(call: Call, answer: GateAnswer): Promise<GateAnswer> {
    if (answer.kind !== 'ask' || !Number.isFinite(most)) return answer;
    const pending = await store.ledger.countPending(call.requester);
    if (pending < most) return answer;
    const { policy, redact } = answer;
    return {
      kind: 'refuse',
      reason: describeWait(call, pending),
      rule: `the limit of ${most} waiting calls per person`,
      ...(policy !== undefined && { policy }),
      ...(redact && { redact }),
    };
  };
}

function describeWait({ requester }: Call, pending: number): string {
  const calls = pending === 1 ? '1 call' : `${pending} calls`;
  return `${calls} of ${requester.user} are already waiting for decisions, which is the limit. None of those was lost. This call was shown to nobody; it was not denied. Do not call it again now and do not work around it; say that it has to wait, and continue when those are decided.`;
}
