/** Runs an approved call once, or hands it to a helper: the claim is written before the tool starts, its end before anybody is told. */
import type { Call } from '../domain/call.ts';
import { finish, ruleRecovery } from '../domain/claim.ts';
import { breakIntegrity, withdraw } from '../domain/decide.ts';
import { digestOf } from '../domain/digest.ts';
import { toolsOf } from '../domain/helper.ts';
import type { JsonValue } from '../domain/json.ts';
import { childThreadKey, type ThreadKey } from '../domain/thread-key.ts';
import type { Tool } from '../domain/tool.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate } from './ask-gate.ts';
import { askVoters, ruleWithVoters } from './ask-voters.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';
import type { HelperThreads } from './helper-threads.ts';
import { isBeingStopped } from './is-being-stopped.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { previewCall } from './preview-call.ts';
import { runTool, sayStopped } from './run-tool.ts';

/** The signals under which a call runs: of its worker, and of people who stop its thread. */
interface RunSignals {
  readonly work: AbortSignal;
  readonly stop: AbortSignal;
}

/** Builds the use case: claims and runs a call; does nothing when it is not approved or another worker has it. */
export function createExecute(
  deps: DeskDeps,
  helperThreads: Pick<HelperThreads, 'begin' | 'endedBy'>,
) {
  const { store, clock, signals } = deps;
  const toolOf = (call: Call) => toolsOf(deps, call.thread, call.agent).get(call.tool);

  async function write(before: Call, step: Step): Promise<boolean> {
    const written = await store.ledger.write(before, [step], effectsOf(before, [step], undefined));
    if (written) deps.integrity.sound([step]);
    return written;
  }

  /** A pause and a stop are looked for last: what they hold is not begun. */
  async function isHeld(call: Call): Promise<boolean> {
    return (await store.pause.read()) !== undefined || (await isBeingStopped(store, call));
  }

  async function nextStep(call: Call, work: Work): Promise<Step | undefined> {
    const { fence } = work;
    if (call.status === 'approved') return await stepToClaim(call, work);
    // A younger fence on a running call: the worker that had claimed it is dead.
    if (call.status === 'running' && call.claim && call.claim.fence < fence) {
      return await recover(call, fence);
    }
    return undefined;
  }

  async function stepToClaim(call: Call, { fence, tries }: Work): Promise<Step | undefined> {
    const tool = toolOf(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const gate = await askGate(deps, call, parsed);
    const cause = await helperThreads.endedBy(call.thread);
    if (cause) return withdraw(call, cause, clock.now());
    const preview = tool && parsed?.ok ? await previewAgain(call, tool, parsed.value) : undefined;
    const asked = gate.kind === 'ask' ? await askVoters(deps, call, gate.route) : undefined;
    if (await isHeld(call)) return undefined;
    const child = tool?.delegate && childThreadKey(call.thread, call.id);
    const facts = { now: clock.now(), fence, gate, parsed, child, preview };
    return ruleWithVoters(call, facts, asked, tries);
  }

  /** What people approved may have another effect by now; nobody saw a preview of what ran unasked. */
  async function previewAgain(call: Call, tool: Tool, args: JsonValue) {
    const isBound = call.basis !== undefined && call.route !== undefined;
    return isBound ? await previewCall(tool, args, clock) : undefined;
  }

  /** What would run again does not in a pause, nor when a person has stopped its turn. */
  async function recover(call: Call, fence: number): Promise<Step | undefined> {
    if (call.idempotent && (await isBeingStopped(store, call))) {
      return finish(call, { kind: 'error', text: sayStopped(call.tool) }, clock.now());
    }
    if (call.idempotent && (await store.pause.read())) return undefined;
    return ruleRecovery(call, clock.now(), fence);
  }

  /** The bytes that run are read back from the store and hashed once more; undefined when they are not those of the claim. */
  async function readBack(claimed: Call) {
    const stored = await store.ledger.get(claimed.id);
    const tool = stored && toolOf(stored);
    const parsed = stored && tool && parseStoredArgs(stored, tool);
    if (!stored || digestOf(stored) !== claimed.digest || !tool || !parsed?.ok) return undefined;
    return { stored, tool, args: parsed.value };
  }

  async function runStored(claimed: Call, { work, stop }: RunSignals): Promise<Step> {
    const found = await readBack(claimed);
    if (!found) return breakIntegrity(claimed, clock.now());
    const { stored, tool, args } = found;
    const context = {
      signal: work,
      idempotencyKey: `${stored.id}.${stored.attempt}`,
      requester: stored.requester,
      thread: stored.thread,
      ...(stored.basis !== undefined && stored.route && { basis: stored.basis }),
    };
    const limits = { clock, timeoutMs: deps.toolTimeoutMs, stopSignal: stop };
    return finish(claimed, await runTool(tool, args, context, limits), clock.now());
  }

  /** Resolves with nothing when the helper has the work: its last word will be the end. */
  async function handOver(claimed: Call, child: ThreadKey): Promise<Step | undefined> {
    const found = await readBack(claimed);
    const delegation = found?.tool.delegate?.(found.args);
    if (!delegation) return breakIntegrity(claimed, clock.now());
    await helperThreads.begin(claimed, child, delegation);
    return undefined;
  }

  async function claim(call: Call, work: Work): Promise<Call | undefined> {
    // Whoever had claimed it may have died before the helper was told.
    if (call.status === 'running' && call.child) return call;
    const step = await nextStep(call, work);
    const isClaimed = step && (await write(call, step)) && step.call.status === 'running';
    return isClaimed ? step.call : undefined;
  }

  async function claimAndRun(call: Call, work: Work, runSignals: RunSignals): Promise<void> {
    const claimed = await claim(call, work);
    if (!claimed) return;
    const end = claimed.child
      ? await handOver(claimed, claimed.child)
      : await runStored(claimed, runSignals);
    if (!end || (await write(claimed, end))) return;
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
      await claimAndRun(call, work, { work: work.signal, stop: stop.signal });
    } finally {
      stop.release();
    }
  };
}
