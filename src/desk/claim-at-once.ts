import { runKey, type ThreadFence } from '../domain/agenda.ts';
import type { Call } from '../domain/call.ts';
import { isHanded, isTaken } from '../domain/outside.ts';
import { groupsNamed } from '../domain/permit.ts';
import { parentCallOf } from '../domain/thread-key.ts';
import { type ClaimDeps, createClaimStep } from './claim-step.ts';
import type { Claiming } from './decide.ts';
import { LEASE_MS } from './runner.ts';

/**
 * Builds the claim that goes with the decision which completes an approval: where nobody holds the
 * call's thread, or this process does, both are one commit, and the tool starts after it. Elsewhere,
 * and where anything stands in the way, whoever holds the thread looks at the call by itself.
 */
export function createClaimAtOnce(deps: ClaimDeps) {
  const { store, log } = deps;
  // Of a helper's call it depends on more whether it may run.
  const stepToClaim = createClaimStep(deps, { endedBy: async () => undefined });

  function claimUnder(hold: ThreadFence): Claiming {
    return async (approved) => {
      try {
        const { seen, value: step } = await store.observe(() =>
          stepToClaim(approved, { fence: hold.token, tries: 0 }),
        );
        return step?.call.status === 'running' ? { step, seen, hold } : undefined;
      } catch (error) {
        log.warn(
          { err: error, call: approved.id },
          'A call could not be claimed with its approval.',
        );
        return undefined;
      }
    };
  }

  return async function withClaim<T>(
    call: Call,
    decide: (claiming: Claiming | undefined) => Promise<T>,
  ): Promise<T> {
    const visit = mayRunAtOnce(call)
      ? await store.agenda.enter(runKey(call), deps.leaseMs ?? LEASE_MS)
      : undefined;
    if (!visit) return await decide(undefined);
    try {
      return await visit.within(() => decide(claimUnder(visit.hold)));
    } finally {
      visit.leave().catch((error: unknown) => {
        log.warn({ err: error, call: call.id }, 'A thread was not given back.');
      });
    }
  };
}

/**
 * Whoever clicks is answered after it: a preview may take longer, and so may the workspace, which is
 * asked anew at a claim who is in a group and of everybody who approved before.
 */
function mayRunAtOnce(call: Call): boolean {
  const { basis, route, status, thread, votes } = call;
  if (status !== 'pending' || !route || basis !== undefined) return false;
  const isForOneVote = route.quorum <= 1 && votes.length === 0 && groupsNamed(route).length === 0;
  return isForOneVote && !isTaken(call) && !isHanded(call) && parentCallOf(thread) === undefined;
}
