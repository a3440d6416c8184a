/**
 * How much work untrusted schemas and values may make. It is counted in steps and not in time, so that
 * the same schema and value have the same answer on each machine, however busy that is.
 */

/** Steps that may still be made; a step takes about a tenth of a microsecond. */
export interface StepBudget {
  left: number;
}

/** Checking one value takes less than 50 ms with it. */
const STEPS = 100_000;

/** There is more to do than there may be. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** Begins a count. */
export function createStepBudget(steps = STEPS): StepBudget {
  return { left: steps };
}

/** Takes steps from what is left; throws a `BudgetError` when there are too few. */
export function spendSteps(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new BudgetError('it takes too many steps');
}
