/** A person opens a call in full: masked values are shown, and the audit records it. */

import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { recordOpening } from '../../domain/calls/call-secrets.ts';
import type { DecisionCheck, DecisionOutcome, OpenCommand } from '../../domain/calls/decision.ts';
import { advanceByStep } from '../calls/advance-call.ts';
import type { DeskDeps } from '../deps.ts';

type Checked = { readonly kind: 'open'; readonly call: Call } | DecisionOutcome;

/** Builds the use case: returns `open` with the current call if the person may decide it. */
export function createOpenCall(
  { store, clock, toolbox }: Pick<DeskDeps, 'store' | 'clock' | 'toolbox'>,
  checkDecision: (check: DecisionCheck) => Promise<Checked>,
) {
  async function readForPerson(command: OpenCommand): Promise<Checked> {
    // A damaged record is reported by the check.
    const call = await store.ledger.get(command.callId).catch(recoverDamaged(undefined));
    const kind = call ? behaviourOf(call).mainDecision : 'approve';
    return await checkDecision({ ...command, kind, renews: true });
  }

  return async function openCall(command: OpenCommand): Promise<Checked> {
    const { by } = command;
    let seen: Checked = { kind: 'not-found' };
    const find = async () => {
      seen = await readForPerson(command);
      return seen.kind === 'open' ? seen.call : undefined;
    };
    const stepOf = (call: Call) => recordOpening(call, by, clock.now(), toolbox.of(call));
    const call = await advanceByStep({ store }, command.callId, stepOf, { find, by });
    return call ? { kind: 'open', call } : seen;
  };
}
