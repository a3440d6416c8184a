/**
 * Runs an approved call once, or delegates it to a helper. The claim is committed before the tool
 * starts; the end is committed before anyone is notified.
 */
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { isRecentCall } from '../freshness.ts';
import { withdrawQuestions } from '../withdraw-questions.ts';
import { createClaimOrRecover } from './claim-or-recover.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createRecordRunStep } from './record-run-step.ts';
import { createRunClaimed, createStartHelper, type RunSignals } from './run-claimed.ts';

type HelperRuns = Pick<HelperThreads, 'begin' | 'endedBy'>;
type RunProgress = { running(call: Call): void };

/**
 * Builds the use case: claims and runs a call. Does nothing if it is not approved or another worker
 * has it.
 */
export function createExecute(deps: DeskDeps, helperThreads: HelperRuns, progress: RunProgress) {
  const { store, signals } = deps;
  const claimAndRun = createClaimAndRun(deps, helperThreads, progress);

  return async function execute(callId: string, work: HeldWork): Promise<void> {
    const call = await store.ledger.get(callId);
    if (!call) return;
    // Watch first, then read the store: a stop is found by one of the two.
    const stop = signals.watch(call.thread);
    try {
      await claimAndRun(call, { work, stop: stop.signal });
      // Also for runs whose worker died.
      if (call.server !== undefined) await withdrawQuestions(deps, call);
    } finally {
      stop.release();
    }
  };
}

function createClaimAndRun(deps: DeskDeps, helperThreads: HelperRuns, progress: RunProgress) {
  const { claims, clock, log } = deps;
  const record = createRecordRunStep(deps);
  const claimOrRecover = createClaimOrRecover(deps, helperThreads, record);
  const runClaimed = createRunClaimed(deps);
  const startHelper = createStartHelper(deps, helperThreads);

  /**
   * True if the call was claimed together with its approval and has not started, or if its worker
   * may have died before the helper started.
   */
  function isClaimed(call: Call, { fence }: HeldWork): boolean {
    if (call.status !== 'running' || behaviourOf(call).runBy !== 'worker') return false;
    return call.child !== undefined || (call.claim?.fence === fence && claims.has(call));
  }

  async function recordEnd(claimed: Call, end: Step, { signal }: HeldWork): Promise<void> {
    // If another worker has the call by now, the write reports it.
    const retryLimit = { signal, mayGoOn: () => signal.throwIfAborted() };
    if (await record(claimed, end, retryLimit)) return;
    log.error(
      { call: claimed.id },
      'Could not record the end of a run: another worker has the call.',
    );
  }

  return async function claimAndRun(call: Call, runSignals: RunSignals): Promise<void> {
    const { work } = runSignals;
    const claimed = isClaimed(call, work) ? call : await claimOrRecover(call, work);
    // The graph runs it: the claim wakes the thread, which passes the call on.
    if (!claimed || behaviourOf(claimed).runBy === 'graph') return;
    // The thread's status still says that it waits for people. After old approvals nobody is
    // watching.
    if (claimed.route && isRecentCall(claimed, clock.now())) progress.running(claimed);
    const end = claimed.child
      ? await startHelper(claimed, claimed.child, work)
      : await runClaimed(claimed, runSignals);
    if (end) await recordEnd(claimed, end, work);
  };
}
