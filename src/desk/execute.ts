/** Runs an approved call once, or hands it to a helper: the claim is written before the tool starts, its end before anybody is told. */
import type { Call } from '../domain/call.ts';
import { finish, ruleClaim, ruleRecovery } from '../domain/claim.ts';
import { breakIntegrity, withdraw } from '../domain/decide.ts';
import { digestOf } from '../domain/digest.ts';
import { toolsOf } from '../domain/helper.ts';
import { childThreadKey, type ThreadKey } from '../domain/thread-key.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate } from './ask-gate.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';
import type { HelperThreads } from './helper-threads.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { runTool } from './run-tool.ts';

/** Builds the use case: claims and runs a call; does nothing when it is not approved or another worker has it. */
export function createExecute(
  deps: DeskDeps,
  helperThreads: Pick<HelperThreads, 'begin' | 'endedBy'>,
) {
  const { store, clock } = deps;
  const toolOf = (call: Call) => toolsOf(deps, call.thread, call.agent).get(call.tool);

  async function write(before: Call, step: Step): Promise<boolean> {
    return await store.ledger.write(before, [step], effectsOf(before, [step], undefined));
  }

  async function nextStep(call: Call, fence: number): Promise<Step | undefined> {
    if (call.status === 'approved') {
      const cause = await helperThreads.endedBy(call.thread);
      if (cause) return withdraw(call, cause, clock.now());
      const tool = toolOf(call);
      const parsed = tool && parseStoredArgs(call, tool);
      const gate = await askGate(deps, call, parsed);
      const child = tool?.delegate && childThreadKey(call.thread, call.id);
      return ruleClaim(call, { now: clock.now(), fence, gate, parsed, child });
    }
    // A younger fence on a running call: the worker that had claimed it is dead.
    if (call.status === 'running' && call.claim && call.claim.fence < fence) {
      return ruleRecovery(call, clock.now(), fence);
    }
    return undefined;
  }

  /** The bytes that run are read back from the store and hashed once more; undefined when they are not those of the claim. */
  async function readBack(claimed: Call) {
    const stored = await store.ledger.get(claimed.id);
    const tool = stored && toolOf(stored);
    const parsed = stored && tool && parseStoredArgs(stored, tool);
    if (!stored || digestOf(stored) !== claimed.digest || !tool || !parsed?.ok) return undefined;
    return { stored, tool, args: parsed.value };
  }

  async function runStored(claimed: Call, signal: AbortSignal): Promise<Step> {
    const found = await readBack(claimed);
    if (!found) return breakIntegrity(claimed, clock.now());
    const { stored, tool, args } = found;
    const context = {
      signal,
      idempotencyKey: `${stored.id}.${stored.attempt}`,
      requester: stored.requester,
      thread: stored.thread,
    };
    const deadline = { clock, timeoutMs: deps.toolTimeoutMs };
    return finish(claimed, await runTool(tool, args, context, deadline), clock.now());
  }

  /** Resolves with nothing when the helper has the work: its last word will be the end. */
  async function handOver(claimed: Call, child: ThreadKey): Promise<Step | undefined> {
    const found = await readBack(claimed);
    const delegation = found?.tool.delegate?.(found.args);
    if (!delegation) return breakIntegrity(claimed, clock.now());
    await helperThreads.begin(claimed, child, delegation);
    return undefined;
  }

  async function claim(call: Call, fence: number): Promise<Call | undefined> {
    // Whoever had claimed it may have died before the helper was told.
    if (call.status === 'running' && call.child) return call;
    const step = await nextStep(call, fence);
    const isClaimed = step && (await write(call, step)) && step.call.status === 'running';
    return isClaimed ? step.call : undefined;
  }

  return async function execute(callId: string, work: Work): Promise<void> {
    const call = await store.ledger.get(callId);
    const claimed = call && (await claim(call, work.fence));
    if (!claimed) return;
    const end = claimed.child
      ? await handOver(claimed, claimed.child)
      : await runStored(claimed, work.signal);
    if (!end || (await write(claimed, end))) return;
    deps.log.error(
      { call: callId },
      'The end of a run was not recorded: another worker has the call.',
    );
  };
}
