import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { GateAnswer } from '../../../domain/policy/route.ts';
import { runCallKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { ReadRevisions } from '../../../domain/ports/store.ts';
import { groupsNamedBy } from '../../../domain/rules/decision-permission.ts';
import type { DecisionRuling } from '../../../domain/rules/decision-rules.ts';
import { parentCallOf } from '../../../domain/threads/thread-key.ts';
import { type DeskDeps, LEASE_MS } from '../../deps.ts';
import type { HearGate } from '../policy/recheck-route.ts';
import type { AskedGate } from '../policy/reevaluate-policy.ts';
import { type ClaimDeps, createClaim } from './claim.ts';

/** Claims a call in the commit of its approval. */
export interface ClaimOnApproval {
  /**
   * Runs the last check of a decision. Its reads and the policy's answer are reused by the claim.
   */
  check(recheck: (onAnswer: HearGate) => Promise<DecisionRuling>): Promise<DecisionRuling>;
  /**
   * Returns the claim, the revisions it read, and the hold it is made under. Undefined leaves the
   * claim to the holder of the call's thread.
   */
  claim(approved: Call): Promise<Claim | undefined>;
}

interface Claim {
  readonly step: Step;
  readonly seen: ReadRevisions;
  readonly hold: ThreadFence;
}

/** What the last check of a decision learned from the policy, and the revisions it read. */
interface Checked {
  readonly asked: AskedGate | undefined;
  readonly seen: ReadRevisions;
}

type OnApprovalDeps = ClaimDeps & Pick<DeskDeps, 'claims'>;

/**
 * Builds the claim that is committed together with the final approval, so that the tool starts
 * after one commit. Works if nobody else holds the call's thread. Otherwise the thread's holder
 * claims later.
 */
export function createClaimOnApproval(deps: OnApprovalDeps) {
  const { store, log } = deps;
  // A call in a helper thread has more conditions, so it is never claimed here (see mayRunAtOnce).
  const stepToClaim = createClaim(deps, { endedBy: async () => undefined });

  return async function withClaim<T>(
    call: Call,
    decide: (claiming: ClaimOnApproval | undefined) => Promise<T>,
  ): Promise<T> {
    const visit = mayRunAtOnce(call)
      ? await store.agenda.openVisit(runCallKey(call), deps.leaseMs ?? LEASE_MS)
      : undefined;
    if (!visit) return await decide(undefined);
    try {
      return await visit.within(() => decide(claimUnder(deps, stepToClaim, visit.hold)));
    } finally {
      visit.leave().catch((error: unknown) => {
        log.warn({ err: error, call: call.id }, 'Could not release a thread.');
      });
    }
  };
}

/** Claims with the hold of the call's thread. */
function claimUnder(
  deps: OnApprovalDeps,
  stepToClaim: ReturnType<typeof createClaim>,
  hold: ThreadFence,
): ClaimOnApproval {
  const { store, log } = deps;
  let checked: Checked | undefined;

  async function claim(approved: Call): ReturnType<ClaimOnApproval['claim']> {
    const answer = answerOf(checked, approved);
    const { seen, value: step } = await store.observe(() =>
      stepToClaim(approved, { fence: hold.token, tries: 0 }, answer),
    );
    if (step?.call.status !== 'running') return undefined;
    deps.claims.add(step.call);
    // For keys that both have read, the older revision counts: the check's.
    const all: ReadRevisions = answer && checked ? new Map([...seen, ...checked.seen]) : seen;
    return { step, seen: all, hold };
  }

  return {
    async check(recheck) {
      let asked: AskedGate | undefined;
      const { seen, value: ruling } = await store.observe(() =>
        recheck((answer) => {
          asked = answer;
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
          'Could not claim a call together with its approval.',
        );
        return undefined;
      }
    },
  };
}

/**
 * The policy's answer for exactly this call from the last check; undefined if it must be asked
 * again.
 */
function answerOf(checked: Checked | undefined, approved: Call): GateAnswer | undefined {
  if (!checked?.asked) return undefined;
  const { call, gate } = checked.asked;
  // A different risk (set by the policy) can give a different answer.
  const isSame = call.args === approved.args && call.risk === approved.risk;
  return isSame && !gate.isInDoubt ? gate : undefined;
}

/**
 * The click is answered after the claim, so it must be quick. Excluded: previews, and calls for
 * which groups or earlier approvers must be looked up again.
 */
function mayRunAtOnce(call: Call): boolean {
  const { basis, route, status, thread, votes } = call;
  if (status !== 'pending' || !route || basis !== undefined) return false;
  const isForOneVote = route.quorum <= 1 && votes.length === 0 && groupsNamedBy(route).length === 0;
  return isForOneVote && behaviourOf(call).runBy === 'worker' && parentCallOf(thread) === undefined;
}
