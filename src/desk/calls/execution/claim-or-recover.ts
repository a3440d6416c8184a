import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { advanceCall, type Ruled } from '../advance-call.ts';
import { createClaim } from './claim.ts';
import type { HelperThreads } from './helper-threads.ts';
import type { createRecordRunStep } from './record-run-step.ts';
import { createRecoverRun } from './recover-run.ts';
import { retryWhileHeld } from './retry-store-write.ts';

/**
 * Builds the step before a run: writes the claim, a claim after a crash, or what prevents it.
 * Undefined if there is nothing to run.
 */
export function createClaimOrRecover(
  deps: DeskDeps,
  helperThreads: Pick<HelperThreads, 'endedBy'>,
  record: ReturnType<typeof createRecordRunStep>,
) {
  const { claims, store } = deps;
  const stepToClaim = createClaim(deps, helperThreads);
  const { recoverRun, renewClaim } = createRecoverRun(deps, helperThreads);

  async function nextStep(call: Call, work: HeldWork): Promise<Step | undefined> {
    const { runBy } = behaviourOf(call);
    // The caller takes it and reports its end.
    if (runBy === 'caller') return undefined;
    if (call.status === 'approved') return await stepToClaim(call, work);
    // The graph runs it, now or after its thread advances.
    if (runBy === 'graph') return undefined;
    // The claim is ours or older, so its worker has died, or has failed before or after the run.
    const isLeft = call.status === 'running' && call.claim && call.claim.fence <= work.fence;
    if (!isLeft) return undefined;
    return claims.has(call) ? await renewClaim(call, work) : await recoverRun(call, work);
  }

  return async function claimOrRecover(call: Call, work: HeldWork): Promise<Call | undefined> {
    const noStep = { kind: 'answer', outcome: null } as const;
    const rule = async (newest: Call): Promise<Ruled<null>> => {
      // The other writer has added the tasks that are needed.
      if (newest.revision !== call.revision) return noStep;
      const { seen, value: step } = await store.observe(() => nextStep(newest, work));
      const isFirst = newest.status === 'approved' || claims.has(newest);
      if (isFirst && step?.call.status === 'running') claims.add(step.call);
      return step ? { kind: 'steps', steps: [step], seen } : noStep;
    };
    const written = await advanceCall<Call | null>(deps, call.id, rule, {
      known: call,
      commit: async (before, { steps: [step], seen }) =>
        step && (await record(before, step, retryWhileHeld(work), seen)) ? step.call : undefined,
    });
    return written?.status === 'running' ? written : undefined;
  };
}
