/** Runs an approved call once, or hands it to a helper: the claim is written before the tool starts, its end before anybody is told. */
import type { Call } from '../../../domain/calls/call.ts';
import { isConsumedByCaller, isRunByGraph } from '../../../domain/calls/call-origin.ts';
import { stopForgedCall } from '../../../domain/calls/decision-rules.ts';
import {
  abandonRun,
  markOutcomeUnknown,
  recordRunEnd,
  rejectRerun,
  ruleRecovery,
} from '../../../domain/calls/execution-rules.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { StaleFenceError } from '../../../domain/ports/store.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { isBeingStopped } from '../../control/is-being-stopped.ts';
import type { ThreadProgress } from '../../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { withdrawQuestions } from '../../external/withdraw-questions.ts';
import type { HelperThreads } from '../../turns/helper-threads.ts';
import { advanceCall, type Ruled } from '../advance-call.ts';
import { isRecentCall } from '../freshness.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { createClaim } from './claim.ts';
import { createProgressReporters } from './progress-reporter.ts';
import { createRecheckClaim } from './recheck-claim.ts';
import { createRecordLateEnd } from './record-late-end.ts';
import { createRecordRunStep } from './record-run-step.ts';
import { type RetryLimit, retryStoreWrite } from './retry-store-write.ts';
import { describeStoppedRun, describeUnresponsiveTool, runTool } from './run-tool.ts';

/** How often a claim is written before the work is put off: nothing has run yet. */
const MAX_TRIES = 5;
/** How often an idempotent call is run again whose worker died. */
const MAX_RERUNS = 3;

/** What ends a run: its worker's hold on it, and people who stop its thread. */
interface RunSignals {
  readonly work: HeldWork;
  readonly stop: AbortSignal;
}

/** What a claimed call runs with, or how it ends without a run. */
type ReadBack =
  | { readonly stored: Call; readonly tool: Tool; readonly args: JsonValue }
  | { readonly end: Step };

/** Builds the use case: claims and runs a call; does nothing when it is not approved or another worker has it. */
export function createExecute(
  deps: DeskDeps,
  helperThreads: Pick<HelperThreads, 'begin' | 'endedBy'>,
  progress: Pick<ThreadProgress, 'running'>,
) {
  const { store, clock, signals } = deps;
  /** Claims of this process whose runs were begun. */
  const begun = new Set<string>();
  const recordLateEnd = createRecordLateEnd(deps);
  const toolOf = (call: Call) => toolsOf(deps, call.thread, call.agent).of(call);
  const stepToClaim = createClaim(deps, helperThreads);

  const whyNotAnyMore = createRecheckClaim(deps);

  const record = createRecordRunStep(deps);
  const reporterOf = createProgressReporters(deps);

  async function nextStep(call: Call, work: HeldWork): Promise<Step | undefined> {
    const { fence, tries } = work;
    // Whoever made it takes it, and tells of its end.
    if (isConsumedByCaller(call)) return undefined;
    if (call.status === 'approved') return await stepToClaim(call, work);
    // The graph has it, or is given it by the pump.
    if (isRunByGraph(call)) return undefined;
    // Nobody else works on it now: the worker that had claimed it is dead, or has failed to tell its end.
    if (call.status === 'running' && call.claim && call.claim.fence <= fence) {
      // What may run again, but ends the process each time, must not do so for ever.
      return await recover(call, work, tries <= MAX_RERUNS);
    }
    return undefined;
  }

  /** What would run again does not in a pause, nor when a person has stopped its turn, nor when it may run no more. */
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
    return step.call.status === 'running' ? await lookOnceMore(call, step, work) : step;
  }

  /** Between the claim and now somebody may have decided otherwise. */
  async function lookOnceMore(call: Call, rerun: Step, work: HeldWork): Promise<Step> {
    if (!isIntact(call)) return stopForgedCall(call, clock.now(), true);
    const isOver = (await helperThreads.endedBy(call.thread)) !== undefined;
    const why = isOver ? 'the work that it was for has ended.' : await whyNotAnyMore(call, work);
    return why === undefined ? rerun : rejectRerun(call, why, clock.now());
  }

  /** The bytes that run are read back from the store and hashed once more, or it ends here. A worker that stood still since has lost the call, and must not run it. */
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

  /** Resolves with nothing when the helper has the work: its last word will be the end. */
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

  /** It was claimed with its approval, under the same hold, and nothing was begun yet; or whoever had claimed it may have died before the helper was told. */
  function isClaimed(call: Call, { fence }: HeldWork): boolean {
    if (call.status !== 'running' || isConsumedByCaller(call) || isRunByGraph(call)) return false;
    return call.child !== undefined || (call.claim?.fence === fence && !begun.has(claimOf(call)));
  }

  /** Writes the claim, or what stands in its way; undefined where nothing is to be run. */
  async function claim(call: Call, work: HeldWork): Promise<Call | undefined> {
    const none = { kind: 'answer', outcome: null } as const;
    const rule = async (newest: Call): Promise<Ruled<null>> => {
      // Another writer of the call has asked for what there is to do.
      if (newest.revision !== call.revision) return none;
      const { seen, value: step } = await store.observe(() => nextStep(newest, work));
      return step ? { kind: 'steps', steps: [step], seen } : none;
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
    // Whoever made it runs it: the claim wakes the thread, which hands it over.
    if (!claimed || isRunByGraph(claimed)) return;
    begun.add(claimOf(claimed));
    // The thread rests, and still says that people are waited for. Nobody looks at what comes of a press of long ago.
    if (claimed.route && isRecentCall(claimed, clock.now())) progress.running(claimed);
    const end = claimed.child
      ? await startDelegate(claimed, claimed.child, work)
      : await runStored(claimed, runSignals);
    if (end) await recordEnd(claimed, end, work);
    begun.delete(claimOf(claimed));
  }

  async function recordEnd(claimed: Call, end: Step, { signal }: HeldWork): Promise<void> {
    // Where the call is another worker's by now, the write finds that out.
    const patience = { signal, mayGoOn: () => signal.throwIfAborted() };
    if (await record(claimed, end, patience)) return;
    deps.log.error(
      { call: claimed.id },
      'The end of a run was not recorded: another worker has the call.',
    );
  }

  return async function execute(callId: string, work: HeldWork): Promise<void> {
    const call = await store.ledger.get(callId);
    if (!call) return;
    // Watched before the stop is looked for: it is found in the store, or comes as the signal.
    const stop = signals.watch(call.thread);
    try {
      await claimAndRun(call, { work, stop: stop.signal });
      // Of a run that has ended here, and of one whose worker had died.
      if (call.server !== undefined) await withdrawQuestions(deps, call);
    } finally {
      stop.release();
    }
  };
}

/** One claim of a call has one fence and one revision. */
function claimOf({ claim, id, revision }: Call): string {
  return `${id} ${claim?.fence} ${revision}`;
}

/** Tools of servers come and go at any time. */
function describeToolGone({ tool }: Call) {
  const text = `Not run: the tool “${tool}” has changed since it was approved, or is no longer there.`;
  return { kind: 'error', text } as const;
}

/** A worker whose time is over must begin nothing. */
function retryWhileHeld({ assertHeld, signal }: HeldWork): RetryLimit {
  return { mayGoOn: assertHeld, mostTries: MAX_TRIES, signal };
}
