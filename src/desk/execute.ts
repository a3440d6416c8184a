/** Runs an approved call once: the claim is written before the tool starts, its end before anybody is told. */
import type { Call } from '../domain/call.ts';
import { finish, ruleClaim, ruleRecovery } from '../domain/claim.ts';
import { breakIntegrity } from '../domain/decide.ts';
import { digestOf } from '../domain/digest.ts';
import type { JsonValue } from '../domain/json.ts';
import type { Tool } from '../domain/tool.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate } from './ask-gate.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { previewCall } from './preview-call.ts';
import { runTool } from './run-tool.ts';

/** Builds the use case: claims and runs a call; does nothing when it is not approved or another worker has it. */
export function createExecute(deps: DeskDeps) {
  const { store, toolbox, clock } = deps;

  async function write(before: Call, step: Step): Promise<boolean> {
    const written = await store.ledger.write(before, [step], effectsOf(before, [step], undefined));
    if (written) deps.integrity.sound([step]);
    return written;
  }

  async function nextStep(call: Call, fence: number): Promise<Step | undefined> {
    if (call.status === 'approved') {
      const tool = toolbox.get(call.tool);
      const parsed = tool && parseStoredArgs(call, tool);
      const gate = await askGate(deps, call, parsed);
      const preview = tool && parsed?.ok ? await previewAgain(call, tool, parsed.value) : undefined;
      return ruleClaim(call, { now: clock.now(), fence, gate, parsed, preview });
    }
    // A younger fence on a running call: the worker that had claimed it is dead.
    if (call.status === 'running' && call.claim && call.claim.fence < fence) {
      return ruleRecovery(call, clock.now(), fence);
    }
    return undefined;
  }

  /** What people approved may have another effect by now; nobody saw a preview of what ran unasked. */
  async function previewAgain(call: Call, tool: Tool, args: JsonValue) {
    const isBound = call.basis !== undefined && call.route !== undefined;
    return isBound ? await previewCall(tool, args, clock) : undefined;
  }

  /** The bytes that run are read back from the store and hashed once more. */
  async function runStored(claimed: Call, signal: AbortSignal): Promise<Step> {
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
      ...(stored.basis !== undefined && stored.route && { basis: stored.basis }),
    };
    const deadline = { clock, timeoutMs: deps.toolTimeoutMs };
    return finish(claimed, await runTool(tool, parsed.value, context, deadline), clock.now());
  }

  return async function execute(callId: string, work: Work): Promise<void> {
    const call = await store.ledger.get(callId);
    const step = call && (await nextStep(call, work.fence));
    if (!call || !step || !(await write(call, step)) || step.call.status !== 'running') return;
    const end = await runStored(step.call, work.signal);
    if (await write(step.call, end)) return;
    deps.log.error(
      { call: callId },
      'The end of a run was not recorded: another worker has the call.',
    );
  };
}
