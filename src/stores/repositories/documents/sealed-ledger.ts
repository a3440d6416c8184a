import { checkSeal, type Seal, sealCall } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { Ledger } from '../../../domain/ports/store.ts';

/** Wraps a ledger so that every call is stored with its seal, and read with what the seal says of it. */
export function sealLedger(ledger: Ledger, seal: Seal): Ledger {
  return {
    ...ledger,
    async propose(call, effects, fence, steps = []) {
      const sealed = steps.length === 0 ? sealCall(call, seal) : call;
      return checkSeal(await ledger.propose(sealed, effects, fence, sealLast(steps, seal)), seal);
    },
    write: (before, steps, effects, seen, fence) =>
      ledger.write(before, sealLast(steps, seal), effects, seen, fence),
    get: async (id) => {
      const call = await ledger.get(id);
      return call && checkSeal(call, seal);
    },
    ofThread: async (thread, turn, damaged) =>
      (await ledger.ofThread(thread, turn, damaged)).map((call) => checkSeal(call, seal)),
    askingAny: async (team, asked, page) =>
      (await ledger.askingAny(team, asked, page)).map((call) => checkSeal(call, seal)),
    madeBy: async (requester, page) =>
      (await ledger.madeBy(requester, page)).map((call) => checkSeal(call, seal)),
    decidedBy: async (person, page) =>
      (await ledger.decidedBy(person, page)).map((call) => checkSeal(call, seal)),
    withStatus: async (status, page) =>
      (await ledger.withStatus(status, page)).map((call) => checkSeal(call, seal)),
  };
}

/** The last step's call is the one that is stored. */
function sealLast(steps: readonly Step[], seal: Seal): readonly Step[] {
  return steps.map((step, i) =>
    i === steps.length - 1 ? { ...step, call: sealCall(step.call, seal) } : step,
  );
}
