import type { Call } from '../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import type { Step, TransitionCause } from '../../domain/calls/transitions.ts';
import type { Person } from '../../domain/people/person.ts';
import { type Effects, StaleFenceError } from '../../domain/ports/store.ts';
import { missingApprovalCount } from '../../domain/rules/decision-rules.ts';
import { callEffectsOf } from '../calls/call-effects.ts';
import type { ClaimOnApproval } from '../calls/execution/claim-on-approval.ts';
import type { DeskDeps } from '../deps.ts';

/**
 * `messageEnds` are written only if the person's decision takes effect, not if the call expired or
 * was forged.
 */
export interface CommitOptions extends Pick<Effects, 'messageEnds'> {
  readonly claiming?: ClaimOnApproval | undefined;
}

/** Commits the steps of a person's decision. Undefined if another writer was first. */
export async function commitDecision(
  deps: Pick<DeskDeps, 'store' | 'integrity'>,
  call: Call,
  steps: readonly Step[],
  by: Person,
  { claiming, ...extra }: CommitOptions,
): Promise<DecisionOutcome | undefined> {
  const outcome = outcomeOfSteps(steps);
  const tookEffect = outcome.kind !== 'already-decided' && outcome.kind !== 'rerouted';
  const approved = outcome.kind === 'decided' && outcome.call.status === 'approved' && outcome.call;
  const claim = approved ? await claiming?.claim(approved) : undefined;
  const all = claim ? [...steps, claim.step] : steps;
  const effects = { ...callEffectsOf(call, all, by), ...(tookEffect && extra) };
  const isWritten = await deps.store.ledger
    .write(call, all, effects, claim?.seen, claim?.hold)
    .catch(ifStale);
  // Another process now holds the thread, so it makes the claim.
  if (isWritten === 'stale') return await commitDecision(deps, call, steps, by, extra);
  if (!isWritten) return undefined;
  deps.integrity.alarmIfForged(all);
  return outcome;
}

const PREEMPTED: ReadonlySet<TransitionCause> = new Set(['expire', 'integrity', 'refuse']);

function outcomeOfSteps(steps: readonly Step[]): DecisionOutcome {
  const last = steps.at(-1);
  if (!last) throw new Error('A ruling has at least one step.');
  const { call, cause } = last;
  // Nothing was decided: the route had changed by then.
  if (cause === 'reroute' && steps.length === 1) return { kind: 'rerouted', call };
  // The deadline, a forged record or the policy came first, so the decision did not take effect.
  if (PREEMPTED.has(cause)) return { kind: 'already-decided', call };
  if (call.status === 'pending')
    return { kind: 'recorded', call, missing: missingApprovalCount(call) };
  return { kind: 'decided', call };
}

function ifStale(error: unknown): 'stale' {
  if (error instanceof StaleFenceError) return 'stale';
  throw error;
}
