import type { Call } from '../../../domain/calls/call.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { stopForgedCall } from '../../../domain/rules/end-rules.ts';
import {
  recordRunEnd,
  rejectRerun,
  ruleRecovery,
  ruleRenewedClaim,
} from '../../../domain/rules/execution-rules.ts';
import { plainSentence, type Sentence } from '../../../domain/text/sentence.ts';
import type { HeldWork } from '../../deps.ts';
import { isBeingStopped } from '../is-being-stopped.ts';
import type { ClaimDeps } from './claim.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createRecheckClaim } from './recheck-claim.ts';
import { describeStoppedRun } from './run-tool.ts';

/** How often an idempotent call runs again after its worker died. */
const MAX_RERUNS = 3;

const TASK_OVER: Sentence = 'the task it belonged to has ended.';

/** Builds the steps for a call that was claimed and has no end: it may have run, or has not begun. */
export function createRecoverRun(deps: ClaimDeps, helperThreads: Pick<HelperThreads, 'endedBy'>) {
  const { store, clock } = deps;
  const recheckClaim = createRecheckClaim(deps);

  function endWithoutRun(call: Call, text: string): Step {
    return recordRunEnd(call, { kind: 'error', text }, clock.now());
  }

  /** The decision may have changed since the claim. */
  async function explainRejected(call: Call, work: HeldWork): Promise<Sentence | undefined> {
    const isOver = (await helperThreads.endedBy(call.thread)) !== undefined;
    return isOver ? TASK_OVER : await recheckClaim(call, work);
  }

  async function recheckRerun(call: Call, rerun: Step, work: HeldWork): Promise<Step> {
    if (!isIntact(call)) return stopForgedCall(call, clock.now(), true);
    const why = await explainRejected(call, work);
    return why === undefined ? rerun : rejectRerun(call, why, clock.now());
  }

  /**
   * For a call whose worker died: it runs again, or its outcome is unknown. Undefined during a
   * pause. An idempotent call does not run again after a stop, or after too many reruns.
   */
  async function recoverRun(call: Call, work: HeldWork): Promise<Step | undefined> {
    if (call.idempotent && (await isBeingStopped(store, call))) {
      return endWithoutRun(call, describeStoppedRun(call.tool));
    }
    if (call.idempotent && (await store.pause.read())) return undefined;
    // A call that crashes the process each time must not be retried without limit.
    const mayRerun = work.tries <= MAX_RERUNS;
    const step = ruleRecovery(call, clock.now(), work.fence, mayRerun);
    return step.call.status === 'running' ? await recheckRerun(call, step, work) : step;
  }

  /** Claims a call again that has not started, since time has passed since its last check. */
  async function renewClaim(call: Call, work: HeldWork): Promise<Step | undefined> {
    if (await isBeingStopped(store, call))
      return endWithoutRun(call, describeStoppedRun(call.tool));
    if (await store.pause.read()) return undefined;
    if (!isIntact(call)) return stopForgedCall(call, clock.now(), false);
    const why = await explainRejected(call, work);
    if (why !== undefined) return endWithoutRun(call, `Not run: ${plainSentence(why)}`);
    return ruleRenewedClaim(call, clock.now(), work.fence);
  }

  return { recoverRun, renewClaim };
}
