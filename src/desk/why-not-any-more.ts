import type { Call } from '../domain/call.ts';
import { toolsOf } from '../domain/helper.ts';
import { routeReached } from '../domain/patience.ts';
import type { Sentence } from '../domain/sentence.ts';
import { askGate } from './ask-gate.ts';
import { askVoters, ruleWithVoters } from './ask-voters.ts';
import type { ClaimDeps } from './claim-step.ts';
import { parseStoredArgs } from './parse-stored-args.ts';

const NOT_ENOUGH: Sentence = 'its approvals no longer suffice.';

/**
 * Builds the look at a call whose claim is of a while ago and which is about to begin: says why it
 * could not be claimed now, its deadline aside; undefined when it could. Rejects while that can't be told.
 */
export function createWhyNotAnyMore(deps: ClaimDeps) {
  return async function whyNotAnyMore(call: Call): Promise<Sentence | undefined> {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const gate = await askGate(deps, call, parsed);
    const asked =
      gate.kind === 'ask' ? await askVoters(deps, call, routeReached(call, gate.route)) : undefined;
    const { deadlineAt: _met, ...approved } = { ...call, status: 'approved' as const };
    // What it works on may have been changed by its own beginning.
    const facts = { now: deps.clock.now(), fence: 0, gate, parsed };
    const { cause, call: next } = ruleWithVoters(approved, facts, asked, 0);
    if (cause === 'claim') return undefined;
    return cause === 'recheck' ? NOT_ENOUGH : (next.note ?? NOT_ENOUGH);
  };
}
