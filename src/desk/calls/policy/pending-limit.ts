import type { Call } from '../../../domain/calls/call.ts';
import type { GateAnswer } from '../../../domain/policy/route.ts';
import type { DeskDeps } from '../../deps.ts';

/**
 * Builds the limit of calls that wait for one person: past it nobody is asked, and the agent is told
 * to wait. It is counted right before people are asked, apart from that write, so that at most one
 * call more comes through for each thread whose calls are put to people in the same moment.
 */
export function createPendingLimit({
  store,
  maxPendingPerPerson: most = Number.POSITIVE_INFINITY,
}: Pick<DeskDeps, 'store' | 'maxPendingPerPerson'>) {
  return async function holdBack(call: Call, answer: GateAnswer): Promise<GateAnswer> {
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
  return `${calls} of ${requester.user} wait for decisions already, which is as many as may. None of those was lost, and this one was shown to nobody: it is no denial. Do not call it again now and do not work around it; say that it has to wait, and go on when those are decided.`;
}
