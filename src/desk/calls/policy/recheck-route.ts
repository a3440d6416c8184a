import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { DecisionRuling } from '../../../domain/rules/decision-rules.ts';
import { plainSentence } from '../../../domain/text/sentence.ts';
import { DECIDER_MAX_AGE_MS } from '../../people/lookup-age.ts';
import {
  type AskedGate,
  createReevaluatePolicy,
  type ReevaluateDeps,
} from './reevaluate-policy.ts';

/** The claim looks up the approvers again and may wait longer. */
const AT_CLICK = { maxAgeMs: DECIDER_MAX_AGE_MS, routeOnly: true } as const;

/** Receives the gate's answer when it was asked. */
export type HearGate = (asked: AskedGate) => void;

export type RecheckRouteDeps = Omit<ReevaluateDeps, 'gate' | 'helpers'> &
  Partial<Pick<ReevaluateDeps, 'gate' | 'helpers'>>;

/**
 * Builds the last check before a decision is written: approvals and edits follow the call's current
 * route. So the person learns where the call ended up.
 */
export function createRecheckRoute({ gate, helpers = [], ...deps }: RecheckRouteDeps) {
  const evaluateAgain = gate && createReevaluatePolicy({ ...deps, gate, helpers });

  /** A failure here is not fatal, because the claim checks again. */
  async function evaluate(call: Call, onAnswer?: HearGate): Promise<Step | undefined> {
    try {
      return await evaluateAgain?.(call, { ...AT_CLICK, onAnswer });
    } catch (error) {
      deps.log.warn(
        { err: error, call: call.id },
        'Could not look up whose approvals still count.',
      );
      return undefined;
    }
  }

  async function recheckApproval(
    call: Call,
    ruling: DecisionRuling,
    onAnswer?: HearGate,
  ): Promise<DecisionRuling> {
    const step = await evaluate(call, onAnswer);
    return step ? { kind: 'steps', steps: [step] } : ruling;
  }

  /**
   * The edit's own approval was for the route that the form was opened on. It does not count on
   * another route.
   */
  async function recheckEdit(
    call: Call,
    ruling: DecisionRuling,
    made: Step,
    onAnswer?: HearGate,
  ): Promise<DecisionRuling> {
    const edited = { ...made, call: { ...made.call, votes: [] } };
    const step = await evaluate(edited.call, onAnswer);
    if (step?.cause === 'refuse') return refuseEdit(call, step);
    return step ? { kind: 'steps', steps: [edited, step] } : ruling;
  }

  return async function recheckRoute(
    call: Call,
    ruling: DecisionRuling,
    onAnswer?: HearGate,
  ): Promise<DecisionRuling> {
    if (isApproval(ruling)) return await recheckApproval(call, ruling, onAnswer);
    const [first] = ruling.kind === 'steps' ? ruling.steps : [];
    return first?.cause === 'edit' ? await recheckEdit(call, ruling, first, onAnswer) : ruling;
  };
}

/** True for an approval, including a repeated one. */
function isApproval(ruling: DecisionRuling): boolean {
  if (ruling.kind === 'answer') return ruling.outcome.kind === 'already-voted';
  return ruling.steps[0]?.cause === 'approve' || ruling.steps[0]?.cause === 'vote';
}

/** Nothing is saved, so the person can correct the values. */
function refuseEdit(call: Call, { call: { note = '' } }: Step): DecisionRuling {
  const message = `The policy refuses these values: ${plainSentence(note)}`;
  return { kind: 'answer', outcome: { kind: 'invalid', call, problems: [{ path: [], message }] } };
}
