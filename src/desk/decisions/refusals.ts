import type { DecisionCheck, DecisionOutcome } from '../../domain/calls/decision.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import { plainSentence } from '../../domain/text/sentence.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';

/** What somebody wished for, on which call. */
export interface AttemptedAction {
  readonly callId: string;
  readonly by: Person;
  readonly decision: DecisionCheck['kind'] | 'ask-again';
}

/** Why nothing came of it. */
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

/** Builds the memory of wishes of which nothing came. */
export function createRecordRefusal({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function remember(wish: AttemptedAction, refused: Refused): Promise<void> {
    const entry = { at: clock.now(), event: EVENTS[refused.kind], subject: wish.callId };
    const detail = { ...detailOf(refused), decision: wish.decision };
    await store.audit.append([{ ...entry, actor: actorOf(wish.by), detail }]);
  };
}

/** Tells whether nothing came of a wish; who is asked for a reason is not refused. */
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
      // What is wrong with a value may quote it.
      return { fields: refused.problems.map(({ path }) => path.join('.')) };
    case 'rerouted':
    case 'already-voted':
    case 'needs-opening':
    case 'not-found':
    case 'damaged':
      return {};
  }
}
