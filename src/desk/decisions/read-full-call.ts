/** A person reads a call whole: what is masked until then is shown to them, and it is logged that it was. */

import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import { isAnswerOnly, isServerQuestion } from '../../domain/calls/call-origin.ts';
import type { DecisionCheck, DecisionOutcome, OpenCommand } from '../../domain/calls/decision.ts';
import type { DecisionKind } from '../../domain/policy/route.ts';
import { recordOpening } from '../../domain/secrets/call-secrets.ts';
import { advanceByStep } from '../calls/advance-call.ts';
import type { DeskDeps } from '../deps.ts';

type Looked = { readonly kind: 'open'; readonly call: Call } | DecisionOutcome;

/** Builds the use case: answers `open` with the call as people are to see it now, for a person who may decide it. */
export function createOpenCall(
  { store, clock, toolbox }: Pick<DeskDeps, 'store' | 'clock' | 'toolbox'>,
  look: (look: DecisionCheck) => Promise<Looked>,
) {
  async function readForPerson(command: OpenCommand): Promise<Looked> {
    // That it is damaged is told by the look.
    const call = await store.ledger.get(command.callId).catch(recoverDamaged(undefined));
    const kind = call ? decisionOn(call) : 'approve';
    return await look({ ...command, kind, renews: true });
  }

  return async function openCall(command: OpenCommand): Promise<Looked> {
    const { by } = command;
    let seen: Looked = { kind: 'not-found' };
    const find = async () => {
      seen = await readForPerson(command);
      return seen.kind === 'open' ? seen.call : undefined;
    };
    const stepOf = (call: Call) => recordOpening(call, by, clock.now(), toolbox.of(call));
    const call = await advanceByStep({ store }, command.callId, stepOf, { find, by });
    return call ? { kind: 'open', call } : seen;
  };
}

/** The decision by which a call goes on. */
function decisionOn(call: Call): DecisionKind {
  if (isServerQuestion(call)) return 'edit';
  return isAnswerOnly(call) ? 'reply' : 'approve';
}
