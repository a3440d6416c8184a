import type { Call } from '../../../domain/calls/call.ts';
import { type Seal, withCallSeal, withCheckedSeal } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { Ledger } from '../../../domain/ports/store.ts';

/** Wraps a ledger: calls are sealed when stored, and checked against their seal when read. */
export function withSealedCalls(ledger: Ledger, seal: Seal): Ledger {
  const checkAll = (calls: readonly Call[]) => calls.map((call) => withCheckedSeal(call, seal));
  return {
    ...ledger,
    async propose(call, effects, fence, steps = []) {
      const sealed = steps.length === 0 ? withCallSeal(call, seal) : call;
      return withCheckedSeal(
        await ledger.propose(sealed, effects, fence, sealLastStep(steps, seal)),
        seal,
      );
    },
    write: (before, steps, effects, seen, fence) =>
      ledger.write(before, sealLastStep(steps, seal), effects, seen, fence),
    get: async (id) => {
      const call = await ledger.get(id);
      return call && withCheckedSeal(call, seal);
    },
    ofThread: async (...asked) => checkAll(await ledger.ofThread(...asked)),
    askingAnyOf: async (...asked) => checkAll(await ledger.askingAnyOf(...asked)),
    requestedBy: async (...asked) => checkAll(await ledger.requestedBy(...asked)),
    decidedBy: async (...asked) => checkAll(await ledger.decidedBy(...asked)),
    withStatus: async (...asked) => checkAll(await ledger.withStatus(...asked)),
  };
}

/** Only the last step's call is stored, so only that is sealed. */
function sealLastStep(steps: readonly Step[], seal: Seal): readonly Step[] {
  return steps.map((step, i) =>
    i === steps.length - 1 ? { ...step, call: withCallSeal(step.call, seal) } : step,
  );
}
