import type { Call } from '../../../domain/calls/call.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { stopForgedCall } from '../../../domain/rules/end-rules.ts';
import { recordRunEnd, rejectRerun, ruleRecovery } from '../../../domain/rules/execution-rules.ts';
import type { HeldWork } from '../../deps.ts';
import { isBeingStopped } from '../is-being-stopped.ts';
import type { ClaimDeps } from './claim.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createRecheckClaim } from './recheck-claim.ts';
import { describeStoppedRun } from './run-tool.ts';

/** How often an idempotent call runs again after its worker died. */
const MAX_RERUNS = 3;

/**
 * Builds the step for a call whose worker died: it runs again, or its outcome is unknown. Undefined
 * during a pause. An idempotent call does not run again after a stop, or after too many reruns.
 */
export function createRecoverRun(deps: ClaimDeps, helperThreads: Pick<HelperThreads, 'endedBy'>) {
  const { store, clock } = deps;
  const explainRejectedRerun = createRecheckClaim(deps);

  /** The decision may have changed since the claim. */
  async function recheckRerun(call: Call, rerun: Step, work: HeldWork): Promise<Step> {
    if (!isIntact(call)) return stopForgedCall(call, clock.now(), true);
    const isOver = (await helperThreads.endedBy(call.thread)) !== undefined;
    const why = isOver
      ? 'the task it belonged to has ended.'
      : await explainRejectedRerun(call, work);
    return why === undefined ? rerun : rejectRerun(call, why, clock.now());
  }

  return async function recoverRun(call: Call, work: HeldWork): Promise<Step | undefined> {
    if (call.idempotent && (await isBeingStopped(store, call))) {
      const text = describeStoppedRun(call.tool);
      return recordRunEnd(call, { kind: 'error', text }, clock.now());
    }
    if (call.idempotent && (await store.pause.read())) return undefined;
    // A call that crashes the process each time must not be retried without limit.
    const mayRerun = work.tries <= MAX_RERUNS;
    const step = ruleRecovery(call, clock.now(), work.fence, mayRerun);
    return step.call.status === 'running' ? await recheckRerun(call, step, work) : step;
  };
}
