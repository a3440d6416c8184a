import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { GateAnswer } from '../../../domain/policy/route.ts';
import { withdrawCall } from '../../../domain/rules/end-rules.ts';
import { reachedRouteOf } from '../../../domain/rules/reminder-schedule.ts';
import { childThreadKey } from '../../../domain/threads/thread-key.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { isBeingStopped } from '../is-being-stopped.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { evaluateGate, withPolicyDetails } from '../policy/evaluate-policy.ts';
import { previewRun } from '../preview-call.ts';
import {
  type RecheckedApprovers,
  recheckApprovers,
  ruleWithApprovers,
} from '../recheck-approvers.ts';
import type { HelperThreads } from './helper-threads.ts';

/** Dependencies of a claim. */
export type ClaimDeps = Pick<
  DeskDeps,
  'store' | 'clock' | 'toolbox' | 'helpers' | 'gate' | 'log' | 'directory' | 'leaseMs'
>;

/**
 * Builds the last check of an approved call: returns the claim, or the step that prevents it.
 * Undefined while a pause or stop holds the call. Asks the gate unless `answer` is given.
 */
export function createClaim(deps: ClaimDeps, helperThreads: Pick<HelperThreads, 'endedBy'>) {
  const { store, clock } = deps;

  /** Checked last, so that nothing starts after a pause or stop. */
  async function isHeld(call: Call): Promise<boolean> {
    const [pause, isStopped] = await Promise.all([store.pause.read(), isBeingStopped(store, call)]);
    return pause !== undefined || isStopped;
  }

  /**
   * The effect may have changed since people approved it. Calls that ran without approval had no
   * preview.
   */
  async function renewPreview(call: Call, tool: Tool, args: JsonValue) {
    const isBound = call.basis !== undefined && call.route !== undefined;
    return isBound ? await previewRun(deps, call, tool, args) : {};
  }

  /** Looks up the earlier approvers again, for the route that applies now. */
  async function recheckVoters(
    call: Call,
    gate: GateAnswer,
  ): Promise<RecheckedApprovers | undefined> {
    if (gate.kind !== 'ask') return undefined;
    return await recheckApprovers(deps, call, reachedRouteOf(call, gate.route));
  }

  return async function stepToClaim(
    call: Call,
    { fence, tries }: Pick<HeldWork, 'fence' | 'tries'>,
    answer?: GateAnswer,
  ): Promise<Step | undefined> {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const gate = answer ?? (await evaluateGate(deps, call, parsed));
    const cause = await helperThreads.endedBy(call.thread);
    if (cause) return withdrawCall(call, cause, clock.now());
    const shown = tool && parsed?.ok ? await renewPreview(call, tool, parsed.value) : {};
    const asked = await recheckVoters(call, gate);
    if (await isHeld(call)) return undefined;
    const child = tool?.delegate && childThreadKey(call.thread, call.id);
    const facts = { now: clock.now(), fence, gate, parsed, child, ...shown };
    return withPolicyDetails(ruleWithApprovers(call, facts, asked, tries), gate);
  };
}
