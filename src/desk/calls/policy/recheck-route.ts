import type { Call } from '../../../domain/calls/call.ts';
import type { DecisionRuling } from '../../../domain/calls/decision-rules.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { plainSentence } from '../../../domain/text/sentence.ts';
import { DECIDER_MAX_AGE_MS } from '../../decisions/authorize.ts';
import {
  type AskedGate,
  createReevaluatePolicy,
  type ReevaluateDeps,
} from './reevaluate-policy.ts';

/** The claim asks anew who may approve, and patiently. */
const AT_A_PRESS = { maxAgeMs: DECIDER_MAX_AGE_MS, routeOnly: true } as const;

/** Hears what the gate answered on the way. */
export type HearGate = (asked: AskedGate) => void;

export type RecheckRouteDeps = Omit<ReevaluateDeps, 'gate' | 'helpers'> &
  Partial<Pick<ReevaluateDeps, 'gate' | 'helpers'>>;

/**
 * Builds the last look at a decision before it is written: what is about to be approved, or was
 * edited, goes by its route of now. So a person is told where the call has ended up, and not what
 * they pressed.
 */
export function createRecheckRoute({ gate, helpers = [], ...deps }: RecheckRouteDeps) {
  const evaluateAgain = gate && createReevaluatePolicy({ ...deps, gate, helpers });

  /** A failure here is not fatal: the claim checks again. */
  async function evaluate(call: Call, onAnswer?: HearGate): Promise<Step | undefined> {
    try {
      return await evaluateAgain?.(call, { ...AT_A_PRESS, onAnswer });
    } catch (error) {
      deps.log.warn({ err: error, call: call.id }, 'Nobody told whose approvals still count.');
      return undefined;
    }
  }

  async function followPress(
    call: Call,
    ruling: DecisionRuling,
    hear?: HearGate,
  ): Promise<DecisionRuling> {
    const step = await evaluate(call, hear);
    return step ? { kind: 'steps', steps: [step] } : ruling;
  }

  /** The press was for the route that the form was opened on: on another one it approves nothing. */
  async function followEdit(
    call: Call,
    ruling: DecisionRuling,
    made: Step,
    hear?: HearGate,
  ): Promise<DecisionRuling> {
    const edited = { ...made, call: { ...made.call, votes: [] } };
    const step = await evaluate(edited.call, hear);
    if (step?.cause === 'refuse') return refuseEdit(call, step);
    return step ? { kind: 'steps', steps: [edited, step] } : ruling;
  }

  return async function followRoute(
    call: Call,
    ruling: DecisionRuling,
    hear?: HearGate,
  ): Promise<DecisionRuling> {
    if (isPress(ruling)) return await followPress(call, ruling, hear);
    const [first] = ruling.kind === 'steps' ? ruling.steps : [];
    return first?.cause === 'edit' ? await followEdit(call, ruling, first, hear) : ruling;
  };
}

/** Tells whether somebody approves, be it once more. */
function isPress(ruling: DecisionRuling): boolean {
  if (ruling.kind === 'answer') return ruling.outcome.kind === 'already-voted';
  return ruling.steps[0]?.cause === 'approve' || ruling.steps[0]?.cause === 'vote';
}

/** Nothing is saved, so the person can still correct the values. */
function refuseEdit(call: Call, { call: { note = '' } }: Step): DecisionRuling {
  const message = `The policy refuses these values: ${plainSentence(note)}`;
  return { kind: 'answer', outcome: { kind: 'invalid', call, problems: [{ path: [], message }] } };
}
