import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { ruleGateAnswer } from '../../../domain/rules/execution-rules.ts';
import type { ParsedArgs } from '../../../domain/tools/tool.ts';
import type { DeskDeps } from '../../deps.ts';
import { commitSteps } from '../advance-call.ts';
import { evaluateGate, withPolicyDetails } from './evaluate-policy.ts';
import { createPendingLimit } from './pending-limit.ts';

/** Builds the policy step of a proposed call. Also for calls stored before the gate could be asked. */
export function createApplyPolicy(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'gate' | 'log' | 'maxPendingPerPerson'>,
) {
  const { store, clock } = deps;
  const limitPending = createPendingLimit(deps);

  /** The step that follows from the gate's answer. */
  async function stepThrough(call: Call, parsed: ParsedArgs): Promise<Step> {
    const answer = await limitPending(call, await evaluateGate(deps, call, parsed));
    return withPolicyDetails(ruleGateAnswer(call, answer, clock.now()), answer);
  }

  return {
    stepThrough,
    async pass(call: Call, parsed: ParsedArgs): Promise<Call> {
      if (call.status !== 'proposed') return call;
      const step = await stepThrough(call, parsed);
      if (await commitSteps(deps, call, [step])) return step.call;
      return (await store.ledger.get(call.id)) ?? step.call;
    },
  };
}
