import type { Call } from '../../../domain/calls/call.ts';
import { reachedRouteOf } from '../../../domain/rules/reminder-schedule.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { HeldWork } from '../../deps.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { evaluateGate } from '../policy/evaluate-policy.ts';
import { recheckApprovers, ruleWithApprovers } from '../recheck-approvers.ts';
import type { ClaimDeps } from './claim.ts';

const TOO_FEW_APPROVERS: Sentence = 'too few of those who approved it may still approve it.';
const APPROVERS_UNAVAILABLE: Sentence = 'Slack can’t tell who may still approve it.';

/**
 * Builds the check of a claimed call that is about to run: explains why it could not be claimed
 * now, ignoring its deadline, or undefined. Throws a retryable error while the approvers cannot be
 * looked up.
 */
export function createRecheckClaim(deps: ClaimDeps) {
  return async function recheckClaim(
    call: Call,
    { tries }: Pick<HeldWork, 'tries'>,
  ): Promise<Sentence | undefined> {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const gate = await evaluateGate(deps, call, parsed);
    const asked =
      gate.kind === 'ask'
        ? await recheckApprovers(deps, call, reachedRouteOf(call, gate.route))
        : undefined;
    const { deadlineAt: _met, ...approved } = { ...call, status: 'approved' as const };
    // No preview check: the run may already have changed its target.
    const facts = { now: deps.clock.now(), fence: 0, gate, parsed };
    const { cause, call: next } = ruleWithApprovers(approved, facts, asked, tries);
    if (cause === 'claim') return undefined;
    if (cause !== 'recheck' && next.note !== undefined) return next.note;
    return asked?.failure === undefined ? TOO_FEW_APPROVERS : APPROVERS_UNAVAILABLE;
  };
}
