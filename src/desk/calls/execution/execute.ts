/**
 * Runs an approved call once, or delegates it to a helper. The claim is committed before the tool
 * starts; the end is committed before anyone is notified.
 */
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { StaleFenceError } from '../../../domain/ports/store.ts';
import { stopForgedCall } from '../../../domain/rules/end-rules.ts';
import {
  abandonRun,
  markOutcomeUnknown,
  recordRunEnd,
  rejectRerun,
  ruleRecovery,
} from '../../../domain/rules/execution-rules.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { advanceCall, type Ruled } from '../advance-call.ts';
import { isRecentCall } from '../freshness.ts';
import { isBeingStopped } from '../is-being-stopped.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { createClaim } from './claim.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createProgressReporters } from './progress-reporter.ts';
import { createRecheckClaim } from './recheck-claim.ts';
import { createRecordLateEnd } from './record-late-end.ts';
import { createRecordRunStep } from './record-run-step.ts';
import { type RetryLimit, retryStoreWrite } from './retry-store-write.ts';
import { describeStoppedRun, describeUnresponsiveTool, runTool } from './run-tool.ts';
import { withdrawQuestions } from './withdraw-questions.ts';

/** How often a claim is written before the task is retried later: nothing has run yet. */
const MAX_TRIES = 5;
/** How often an idempotent call runs again after its worker died. */
const MAX_RERUNS = 3;

/** What can end a run: the worker losing its hold, or people stopping the thread. */
interface RunSignals {
  readonly work: HeldWork;
  readonly stop: AbortSignal;
}

/** The stored call to run, or the step that ends it without a run. */
type ReadBack =
  | { readonly stored: Call; readonly tool: Tool; readonly args: JsonValue }
  | { readonly end: Step };

/**
 * Builds the use case: claims and runs a call. Does nothing if it is not approved or another worker
 * has it.
 */
export function createExecute(
  deps: DeskDeps,
  helperThreads: Pick<HelperThreads, 'begin' | 'endedBy'>,
  progress: { running(call: Call): void },
) {
  const { store, clock, signals } = deps;
  /** Claims of this process whose runs have started. */
  const started = new Set<string>();
  const recordLateEnd = createRecordLateEnd(deps);
  const toolOf = (call: Call) => toolsOf(deps, call.thread, call.agent).of(call);
  const stepToClaim = createClaim(deps, helperThreads);

  const explainRejectedRerun = createRecheckClaim(deps);

  const record = createRecordRunStep(deps);
  const reporterOf = createProgressReporters(deps);

  async function nextStep(call: Call, work: HeldWork): Promise<Step | undefined> {
    const { fence, tries } = work;
    // The caller takes it and reports its end.
    if (behaviourOf(call).runBy === 'caller') return undefined;
    if (call.status === 'approved') return await stepToClaim(call, work);
    // The graph runs it, now or after its thread advances.
    if (behaviourOf(call).runBy === 'graph') return undefined;
    // The claim is ours or older, so its worker has died or could not record the end.
    if (call.status === 'running' && call.claim && call.claim.fence <= fence) {
      // A call that crashes the process each time must not be retried without limit.
      return await recover(call, work, tries <= MAX_RERUNS);
    }
    return undefined;
  }

  /**
   * An idempotent call does not run again during a pause, after a stop, or after too many reruns.
   */
  async function recover(call: Call, work: HeldWork, mayRerun: boolean): Promise<Step | undefined> {
    if (call.idempotent && (await isBeingStopped(store, call))) {
      return recordRunEnd(
        call,
        { kind: 'error', text: describeStoppedRun(call.tool) },
        clock.now(),
      );
    }
    if (call.idempotent && (await store.pause.read())) return undefined;
    const step = ruleRecovery(call, clock.now(), work.fence, mayRerun);
    return step.call.status === 'running' ? await recheckRerun(call, step, work) : step;
  }

  /** The decision may have changed since the claim. */
  async function recheckRerun(call: Call, rerun: Step, work: HeldWork): Promise<Step> {
    if (!isIntact(call)) return stopForgedCall(call, clock.now(), true);
    const isOver = (await helperThreads.endedBy(call.thread)) !== undefined;
    const why = isOver
      ? 'the task it belonged to has ended.'
      : await explainRejectedRerun(call, work);
    return why === undefined ? rerun : rejectRerun(call, why, clock.now());
  }

  /**
   * Reads the call from the store and verifies its digest right before the run. Throws if another
   * worker has the call by now.
   */
  async function readBack(claimed: Call, work: HeldWork): Promise<ReadBack> {
    const stored = await retryStoreWrite(
      () => store.fresh(() => store.ledger.get(claimed.id)),
      retryWhileHeld(work),
      deps,
    );
    await work.assertHeld();
    if (stored && stored.revision !== claimed.revision) {
      throw new StaleFenceError(`Another worker has the call ${claimed.id} now.`);
    }
    if (!stored || !isIntact(stored) || stored.digest !== claimed.digest) {
      return { end: stopForgedCall(claimed, clock.now()) };
    }
    const tool = toolOf(stored);
    const parsed = tool && parseStoredArgs(stored, tool);
    if (!tool || !parsed?.ok)
      return { end: recordRunEnd(claimed, describeToolGone(claimed), clock.now()) };
    return { stored, tool, args: parsed.value };
  }

  async function runStored(claimed: Call, { work, stop }: RunSignals): Promise<Step> {
    const found = await readBack(claimed, work);
    if ('end' in found) return found.end;
    const { stored, tool, args } = found;
    const reporter = reporterOf(stored, tool);
    const context = {
      signal: work.signal,
      callId: stored.id,
      idempotencyKey: `${stored.id}.${stored.attempt}`,
      requester: stored.requester,
      thread: stored.thread,
      report: reporter.report,
      ...(stored.basis !== undefined && stored.route && { basis: stored.basis }),
    };
    const limits = { clock, timeoutMs: deps.toolTimeoutMs, stopSignal: stop };
    const end = await runTool(tool, args, context, limits).finally(reporter.end);
    if (end.kind === 'ended') return recordRunEnd(claimed, end.outcome, clock.now());
    if (end.kind === 'unknown') return markOutcomeUnknown(claimed, end.why, clock.now());
    if (claimed.idempotent) {
      const text = describeUnresponsiveTool(tool.name, end.cause);
      return recordRunEnd(claimed, { kind: 'error', text }, clock.now());
    }
    void recordLateEnd(claimed, end.late);
    return abandonRun(claimed, end.cause, clock.now());
  }

  /** Resolves with undefined if the helper has started: its final answer is the end of the call. */
  async function startDelegate(
    claimed: Call,
    child: ThreadKey,
    work: HeldWork,
  ): Promise<Step | undefined> {
    const found = await readBack(claimed, work);
    if ('end' in found) return found.end;
    const delegation = found.tool.delegate?.(found.args);
    if (!delegation) return recordRunEnd(claimed, describeToolGone(claimed), clock.now());
    await helperThreads.begin(claimed, child, delegation);
    return undefined;
  }

  /**
   * True if the call was claimed together with its approval and has not started, or if its worker
   * may have died before the helper started.
   */
  function isClaimed(call: Call, { fence }: HeldWork): boolean {
    if (call.status !== 'running' || behaviourOf(call).runBy !== 'worker') return false;
    return call.child !== undefined || (call.claim?.fence === fence && !started.has(claimOf(call)));
  }

  /** Writes the claim or the step that prevents it. Undefined if there is nothing to run. */
  async function claim(call: Call, work: HeldWork): Promise<Call | undefined> {
    const noStep = { kind: 'answer', outcome: null } as const;
    const rule = async (newest: Call): Promise<Ruled<null>> => {
      // The other writer has added the tasks that are needed.
      if (newest.revision !== call.revision) return noStep;
      const { seen, value: step } = await store.observe(() => nextStep(newest, work));
      return step ? { kind: 'steps', steps: [step], seen } : noStep;
    };
    const written = await advanceCall<Call | null>(deps, call.id, rule, {
      known: call,
      commit: async (before, { steps: [step], seen }) =>
        step && (await record(before, step, retryWhileHeld(work), seen)) ? step.call : undefined,
    });
    return written?.status === 'running' ? written : undefined;
  }

  async function claimAndRun(call: Call, runSignals: RunSignals): Promise<void> {
    const { work } = runSignals;
    const claimed = isClaimed(call, work) ? call : await claim(call, work);
    // The graph runs it: the claim wakes the thread, which passes the call on.
    if (!claimed || behaviourOf(claimed).runBy === 'graph') return;
    started.add(claimOf(claimed));
    // The thread's status still says that it waits for people. After old approvals nobody is
    // watching.
    if (claimed.route && isRecentCall(claimed, clock.now())) progress.running(claimed);
    const end = claimed.child
      ? await startDelegate(claimed, claimed.child, work)
      : await runStored(claimed, runSignals);
    if (end) await recordEnd(claimed, end, work);
    started.delete(claimOf(claimed));
  }

  async function recordEnd(claimed: Call, end: Step, { signal }: HeldWork): Promise<void> {
    // If another worker has the call by now, the write reports it.
    const retryLimit = { signal, mayGoOn: () => signal.throwIfAborted() };
    if (await record(claimed, end, retryLimit)) return;
    deps.log.error(
      { call: claimed.id },
      'Could not record the end of a run: another worker has the call.',
    );
  }

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

/** Identifies one claim of a call. */
function claimOf({ claim, id, revision }: Call): string {
  return `${id} ${claim?.fence} ${revision}`;
}

/** Tools of MCP servers can change or disappear at any time. */
function describeToolGone({ tool }: Call) {
  const text = `Not run: the tool “${tool}” has changed since it was approved, or is no longer there.`;
  return { kind: 'error', text } as const;
}

/** A worker that has lost its hold must not start anything. */
function retryWhileHeld({ assertHeld, signal }: HeldWork): RetryLimit {
  return { mayGoOn: assertHeld, mostTries: MAX_TRIES, signal };
}
