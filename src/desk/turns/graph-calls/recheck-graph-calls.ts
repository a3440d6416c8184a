import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { recordRunEnd } from '../../../domain/rules/execution-rules.ts';
import { plainSentence, sentence } from '../../../domain/text/sentence.ts';
import { commitSteps } from '../../calls/advance-call.ts';
import type { ClaimDeps } from '../../calls/execution/claim.ts';
import { createRecheckClaim } from '../../calls/execution/recheck-claim.ts';
import type { HeldWork } from '../../deps.ts';

/** A claim younger than this has just been checked. */
const FRESH_MS = 5_000;

/**
 * Builds the last check before calls are handed to a graph, because their claims may be hours old.
 * Ends those that must not run any more; true if there were any. Throws a retryable error while
 * this cannot be checked.
 */
export function createRecheckGraphCalls(deps: ClaimDeps) {
  const { clock } = deps;
  const explainRejected = createRecheckClaim(deps);

  function isOld(call: Call): boolean {
    if (call.status !== 'running' || behaviourOf(call).runBy !== 'graph' || !call.claim)
      return false;
    return Math.abs(clock.now() - call.claim.at) > FRESH_MS;
  }

  async function endIfRejected(call: Call, work: Pick<HeldWork, 'tries'>): Promise<boolean> {
    const why = isOld(call) ? await explainRejected(call, work) : undefined;
    if (why === undefined) return false;
    // After a crash it is unknown whether the graph already had it.
    const note = sentence`Not handed over, or not again after a crash: ${why}`;
    const outcome = { kind: 'error', text: plainSentence(note) } as const;
    const step = recordRunEnd({ ...call, note }, outcome, clock.now());
    await commitSteps(deps, call, [step]);
    return true;
  }

  return async function recheckGraphCalls(
    calls: readonly Call[],
    work: Pick<HeldWork, 'tries'>,
  ): Promise<boolean> {
    const ended = await Promise.all(calls.map((call) => endIfRejected(call, work)));
    return ended.includes(true);
  };
}
