import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import {
  abandonRun,
  markOutcomeUnknown,
  recordRunEnd,
} from '../../../domain/rules/execution-rules.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createProgressReporters } from './progress-reporter.ts';
import { describeToolGone, readBack } from './read-back.ts';
import { createRecordLateEnd } from './record-late-end.ts';
import { describeUnresponsiveTool, type RunEnd, runTool } from './run-tool.ts';

/** What can end a run: the worker losing its hold, or people stopping the thread. */
export interface RunSignals {
  readonly work: HeldWork;
  readonly stop: AbortSignal;
}

/** Builds the run of a claimed call's tool. Resolves with the step that records its end. */
export function createRunClaimed(deps: DeskDeps) {
  const { claims, clock } = deps;
  const recordLateEnd = createRecordLateEnd(deps);
  const reporterOf = createProgressReporters(deps);

  function stepOfEnd(claimed: Call, end: RunEnd): Step {
    if (end.kind === 'ended') return recordRunEnd(claimed, end.outcome, clock.now());
    if (end.kind === 'unknown') return markOutcomeUnknown(claimed, end.why, clock.now());
    if (claimed.idempotent) {
      const text = describeUnresponsiveTool(claimed.tool, end.cause);
      return recordRunEnd(claimed, { kind: 'error', text }, clock.now());
    }
    void recordLateEnd(claimed, end.late);
    return abandonRun(claimed, end.cause, clock.now());
  }

  return async function runClaimed(claimed: Call, { work, stop }: RunSignals): Promise<Step> {
    const found = await readBack(deps, claimed, work);
    if ('end' in found) return found.end;
    const { stored, tool, args } = found;
    const reporter = reporterOf(stored, tool);
    claims.start(stored);
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
    return stepOfEnd(claimed, await runTool(tool, args, context, limits).finally(reporter.end));
  };
}

/**
 * Builds the start of a helper for a claimed call. Resolves with undefined once it has started: its
 * final answer is the end of the call.
 */
export function createStartHelper(deps: DeskDeps, helperThreads: Pick<HelperThreads, 'begin'>) {
  return async function startHelper(
    claimed: Call,
    child: ThreadKey,
    work: HeldWork,
  ): Promise<Step | undefined> {
    const found = await readBack(deps, claimed, work);
    if ('end' in found) return found.end;
    const delegation = found.tool.delegate?.(found.args);
    if (!delegation) return recordRunEnd(claimed, describeToolGone(claimed), deps.clock.now());
    await helperThreads.begin(claimed, child, delegation);
    return undefined;
  };
}
