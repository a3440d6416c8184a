/**
 * Limits the work for untrusted schemas and values. It counts steps instead of time, so that the result
 * does not depend on the machine and its load.
 */

/** Remaining steps. A step takes about 0.1 µs. */
export interface StepBudget {
  left: number;
}

/** Limits the check of one value to less than 50 ms. */
const STEPS = 100_000;

/** The work exceeds the budget. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** Creates a budget of `steps`. */
export function createStepBudget(steps = STEPS): StepBudget {
  return { left: steps };
}

/** Spends steps. Throws a `BudgetError` if too few are left. */
export function spendSteps(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new BudgetError('it takes too many steps');
}
