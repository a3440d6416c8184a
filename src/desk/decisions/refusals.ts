import type { DecisionCheck, DecisionOutcome } from '../../domain/calls/decision.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import { plainSentence } from '../../domain/text/sentence.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';

/** What a person tried to do with a call. */
export interface AttemptedAction {
  readonly callId: string;
  readonly by: Person;
  readonly decision: DecisionCheck['kind'] | 'ask-again';
}

/** Outcomes without an effect. */
type Refused = Exclude<DecisionOutcome, { kind: 'decided' | 'recorded' | 'needs-reason' }>;

const EVENTS: Readonly<Record<Refused['kind'], string>> = {
  'not-allowed': 'decision.not-allowed',
  'already-decided': 'decision.too-late',
  'already-voted': 'decision.repeated',
  stale: 'decision.outdated',
  rerouted: 'decision.rerouted',
  invalid: 'decision.invalid',
  'needs-opening': 'decision.unopened',
  'not-found': 'decision.unknown-call',
  damaged: 'decision.damaged-call',
};

/** Builds the audit of attempted decisions that had no effect. */
export function createRecordRefusal({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function recordRefusal(action: AttemptedAction, refused: Refused): Promise<void> {
    const entry = { at: clock.now(), event: EVENTS[refused.kind], subject: action.callId };
    const detail = { ...detailOf(refused), decision: action.decision };
    await store.audit.append([{ ...entry, actor: actorOf(action.by), detail }]);
  };
}

/** True if the attempt had no effect. Being asked for a reason is not a refusal. */
export function wasRefused(outcome: { readonly kind: string }): outcome is Refused {
  return Object.hasOwn(EVENTS, outcome.kind);
}

function detailOf(refused: Refused): { readonly [key: string]: JsonValue } {
  switch (refused.kind) {
    case 'not-allowed':
      return { why: plainSentence(refused.why) };
    case 'already-decided':
      return { status: refused.call.status };
    case 'stale':
      return { attempt: refused.call.attempt };
    case 'invalid':
      // Validation messages may quote secret values.
      return { fields: refused.problems.map(({ path }) => path.join('.')) };
    case 'rerouted':
    case 'already-voted':
    case 'needs-opening':
    case 'not-found':
    case 'damaged':
      return {};
  }
}
