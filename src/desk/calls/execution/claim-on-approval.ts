import type { Call } from '../../../domain/calls/call.ts';
import { isConsumedByCaller, isRunByGraph } from '../../../domain/calls/call-origin.ts';
import { groupsNamedBy } from '../../../domain/people/decision-permission.ts';
import type { GateAnswer } from '../../../domain/policy/route.ts';
import { runCallKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { ReadRevisions } from '../../../domain/ports/store.ts';
import { parentCallOf } from '../../../domain/threads/thread-key.ts';
import type { ClaimOnApproval } from '../../decisions/decide.ts';
import { LEASE_MS } from '../../worker/task-runner.ts';
import type { AskedGate } from '../policy/reevaluate-policy.ts';
import { type ClaimDeps, createClaim } from './claim.ts';

/** What the last look at a decision has heard of the policy, and read. */
interface Checked {
  readonly asked: AskedGate | undefined;
  readonly seen: ReadRevisions;
}

/**
 * Builds the claim that goes with the decision which completes an approval: where nobody holds the
 * call's thread, or this process does, both are one commit, and the tool starts after it. Elsewhere,
 * and where anything stands in the way, whoever holds the thread looks at the call by itself.
 */
export function createClaimOnApproval(deps: ClaimDeps) {
  const { store, log } = deps;
  // Of a helper's call it depends on more whether it may run.
  const stepToClaim = createClaim(deps, { endedBy: async () => undefined });

  function claimUnder(hold: ThreadFence): ClaimOnApproval {
    let checked: Checked | undefined;

    async function claim(approved: Call): ReturnType<ClaimOnApproval['claim']> {
      const answer = answerOf(checked, approved);
      const { seen, value: step } = await store.observe(() =>
        stepToClaim(approved, { fence: hold.token, tries: 0 }, answer),
      );
      if (step?.call.status !== 'running') return undefined;
      // Of what both have read the check's revision holds: it is the older one.
      const all: ReadRevisions = answer && checked ? new Map([...seen, ...checked.seen]) : seen;
      return { step, seen: all, hold };
    }

    return {
      async check(follow) {
        let asked: AskedGate | undefined;
        const { seen, value: ruling } = await store.observe(() =>
          follow((each) => {
            asked = each;
          }),
        );
        checked = { asked, seen };
        return ruling;
      },
      async claim(approved) {
        try {
          return await claim(approved);
        } catch (error) {
          log.warn(
            { err: error, call: approved.id },
            'A call could not be claimed with its approval.',
          );
          return undefined;
        }
      },
    };
  }

  return async function withClaim<T>(
    call: Call,
    decide: (claiming: ClaimOnApproval | undefined) => Promise<T>,
  ): Promise<T> {
    const visit = mayRunAtOnce(call)
      ? await store.agenda.openVisit(runCallKey(call), deps.leaseMs ?? LEASE_MS)
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

/** What the policy said of the very call at the last look at its decision; undefined where it is to be asked. */
function answerOf(checked: Checked | undefined, approved: Call): GateAnswer | undefined {
  if (!checked?.asked) return undefined;
  const { call, gate } = checked.asked;
  // It is a question of its own where the policy has set another risk than the tool's.
  const isSame = call.args === approved.args && call.risk === approved.risk;
  return isSame && !gate.isInDoubt ? gate : undefined;
}

/**
 * Whoever clicks is answered after it: a preview may take longer, and so may the workspace, which is
 * asked anew at a claim who is in a group and of everybody who approved before.
 */
function mayRunAtOnce(call: Call): boolean {
  const { basis, route, status, thread, votes } = call;
  if (status !== 'pending' || !route || basis !== undefined) return false;
  const isForOneVote = route.quorum <= 1 && votes.length === 0 && groupsNamedBy(route).length === 0;
  return (
    isForOneVote &&
    !isConsumedByCaller(call) &&
    !isRunByGraph(call) &&
    parentCallOf(thread) === undefined
  );
}
