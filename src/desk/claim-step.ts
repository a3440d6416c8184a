import type { Call } from '../domain/call.ts';
import { withdraw } from '../domain/decide.ts';
import { toolsOf } from '../domain/helper.ts';
import type { JsonValue } from '../domain/json.ts';
import { routeReached } from '../domain/patience.ts';
import { childThreadKey } from '../domain/thread-key.ts';
import type { Tool } from '../domain/tool.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate, heedAnswer } from './ask-gate.ts';
import { askVoters, ruleWithVoters } from './ask-voters.ts';
import type { DeskDeps, Work } from './deps.ts';
import type { HelperThreads } from './helper-threads.ts';
import { isBeingStopped } from './is-being-stopped.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { showCall } from './show-call.ts';

/** What a claim is looked at with. */
export type ClaimDeps = Pick<
  DeskDeps,
  'store' | 'clock' | 'toolbox' | 'helpers' | 'gate' | 'log' | 'directory' | 'leaseMs'
>;

/** Builds the last look at an approved call: the step to its claim, or to what stands in its way; undefined while a pause or a stop holds it. */
export function createClaimStep(deps: ClaimDeps, helperThreads: Pick<HelperThreads, 'endedBy'>) {
  const { store, clock } = deps;

  /** A pause and a stop are looked for last: what they hold is not begun. */
  async function isHeld(call: Call): Promise<boolean> {
    const [pause, isStopped] = await Promise.all([store.pause.read(), isBeingStopped(store, call)]);
    return pause !== undefined || isStopped;
  }

  /** What people approved may have another effect by now; nobody saw a preview of what ran unasked. */
  async function showAgain(call: Call, tool: Tool, args: JsonValue) {
    const isBound = call.basis !== undefined && call.route !== undefined;
    return isBound ? await showCall(deps, call, tool, args) : {};
  }

  return async function stepToClaim(
    call: Call,
    { fence, tries }: Pick<Work, 'fence' | 'tries'>,
  ): Promise<Step | undefined> {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const gate = await askGate(deps, call, parsed);
    const cause = await helperThreads.endedBy(call.thread);
    if (cause) return withdraw(call, cause, clock.now());
    const shown = tool && parsed?.ok ? await showAgain(call, tool, parsed.value) : {};
    const route = gate.kind === 'ask' ? routeReached(call, gate.route) : undefined;
    const asked = route && (await askVoters(deps, call, route));
    if (await isHeld(call)) return undefined;
    const child = tool?.delegate && childThreadKey(call.thread, call.id);
    const facts = { now: clock.now(), fence, gate, parsed, child, ...shown };
    return heedAnswer(ruleWithVoters(call, facts, asked, tries), gate);
  };
}
