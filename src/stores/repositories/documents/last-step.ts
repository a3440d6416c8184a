import type { Call } from '../../../domain/calls/call.ts';
import { assertStep, type Step } from '../../../domain/calls/transitions.ts';

/** Applies all steps and returns the resulting call. Throws if a step is not allowed, or doesn't follow the one before. */
export function applySteps(before: Call, steps: readonly Step[]): Call {
  let last = before;
  for (const step of steps) {
    assertStep(last, step);
    last = step.call;
  }
  if (last === before) throw new Error(`No step was given for call ${before.id}.`);
  return last;
}
