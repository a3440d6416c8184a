import type { Call } from '../domain/call.ts';
import { ruleGate } from '../domain/claim.ts';
import type { ParsedArgs } from '../domain/tool.ts';
import { askGate, heedAnswer } from './ask-gate.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';
import { createPendingCap } from './pending-cap.ts';

/** Builds the gate's passage of a proposed call. A crash may lie between the insert and the gate: whoever comes next asks it. */
export function createPassGate(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'gate' | 'log' | 'maxPendingPerPerson'>,
) {
  const { store, clock } = deps;
  const holdBack = createPendingCap(deps);

  return async function passGate(call: Call, parsed: ParsedArgs): Promise<Call> {
    if (call.status !== 'proposed') return call;
    const answer = await holdBack(call, await askGate(deps, call, parsed));
    const step = heedAnswer(ruleGate(call, answer, clock.now()), answer);
    if (await store.ledger.write(call, [step], effectsOf(call, [step], undefined)))
      return step.call;
    return (await store.ledger.get(call.id)) ?? step.call;
  };
}
