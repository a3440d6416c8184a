/** Runs an approved call once: the claim is written before the tool starts, its end before anybody is told. */
import type { Call } from '../domain/call.ts';
import { finish, ruleClaim, ruleRecovery } from '../domain/claim.ts';
import { breakIntegrity } from '../domain/decide.ts';
import { digestOf } from '../domain/digest.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate } from './ask-gate.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';
import { isBeingStopped } from './is-being-stopped.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { runTool, sayStopped } from './run-tool.ts';

/** Builds the use case: claims and runs a call; does nothing when it is not approved or another worker has it. */
export function createExecute(deps: DeskDeps) {
  const { store, toolbox, clock, signals } = deps;

  async function write(before: Call, step: Step): Promise<boolean> {
    return await store.ledger.write(before, [step], effectsOf(before, [step], undefined));
  }

  /** A pause and a stop are looked for last: what they hold is not begun. */
  async function isHeld(call: Call): Promise<boolean> {
    return (await store.pause.read()) !== undefined || (await isBeingStopped(store, call));
  }

  async function nextStep(call: Call, fence: number): Promise<Step | undefined> {
    if (call.status === 'approved') {
      const tool = toolbox.get(call.tool);
      const parsed = tool && parseStoredArgs(call, tool);
      const gate = await askGate(deps, call, parsed);
      if (await isHeld(call)) return undefined;
      return ruleClaim(call, { now: clock.now(), fence, gate, parsed });
    }
    // A younger fence on a running call: the worker that had claimed it is dead.
    if (call.status === 'running' && call.claim && call.claim.fence < fence) {
      return await recover(call, fence);
    }
    return undefined;
  }

  /** What would run again does not in a pause, nor when a person has stopped its turn. */
  async function recover(call: Call, fence: number): Promise<Step | undefined> {
    if (call.idempotent && (await isBeingStopped(store, call))) {
      return finish(call, { kind: 'error', text: sayStopped(call.tool) }, clock.now());
    }
    if (call.idempotent && (await store.pause.read())) return undefined;
    return ruleRecovery(call, clock.now(), fence);
  }

  /** The bytes that run are read back from the store and hashed once more. */
  async function runStored(
    claimed: Call,
    signal: AbortSignal,
    stopSignal: AbortSignal,
  ): Promise<Step> {
    const stored = await store.ledger.get(claimed.id);
    const tool = toolbox.get(claimed.tool);
    const parsed = stored && tool && parseStoredArgs(stored, tool);
    if (!stored || digestOf(stored) !== claimed.digest || !tool || !parsed?.ok) {
      return breakIntegrity(claimed, clock.now());
    }
    const context = {
      signal,
      idempotencyKey: `${stored.id}.${stored.attempt}`,
      requester: stored.requester,
      thread: stored.thread,
      ...(stored.preview !== undefined && { preview: stored.preview }),
    };
    const limits = { clock, timeoutMs: deps.toolTimeoutMs, stopSignal };
    return finish(claimed, await runTool(tool, parsed.value, context, limits), clock.now());
  }

  async function claimAndRun(call: Call, work: Work, stopSignal: AbortSignal): Promise<void> {
    const step = await nextStep(call, work.fence);
    if (!step || !(await write(call, step)) || step.call.status !== 'running') return;
    const end = await runStored(step.call, work.signal, stopSignal);
    if (await write(step.call, end)) return;
    deps.log.error(
      { call: call.id },
      'The end of a run was not recorded: another worker has the call.',
    );
  }

  return async function execute(callId: string, work: Work): Promise<void> {
    const call = await store.ledger.get(callId);
    if (!call) return;
    // Watched before the stop is looked for: it is found in the store, or comes as the signal.
    const stop = signals.watch(call.thread);
    try {
      await claimAndRun(call, work, stop.signal);
    } finally {
      stop.release();
    }
  };
}
