import type { Call } from '../../../domain/calls/call.ts';
import { isRunByGraph } from '../../../domain/calls/call-origin.ts';
import { recordRunEnd } from '../../../domain/calls/execution-rules.ts';
import { plainSentence, sentence } from '../../../domain/text/sentence.ts';
import { commitSteps } from '../../calls/advance-call.ts';
import type { ClaimDeps } from '../../calls/execution/claim.ts';
import { createRecheckClaim } from '../../calls/execution/recheck-claim.ts';
import type { HeldWork } from '../../deps.ts';

/** A claim of just now was looked at as closely. */
const FRESH_MS = 5_000;

/**
 * Builds the last look at what is about to be handed to a graph: others of its batch, or what runs in
 * its thread, may have kept it for hours since its claim. What may not run any more is ended; resolves
 * with whether there was any, and rejects while that can't be told.
 */
export function createRecheckGraphCalls(deps: ClaimDeps) {
  const { clock } = deps;
  const whyNotAnyMore = createRecheckClaim(deps);

  function isOld(call: Call): boolean {
    if (call.status !== 'running' || !isRunByGraph(call) || !call.claim) return false;
    return Math.abs(clock.now() - call.claim.at) > FRESH_MS;
  }

  async function isTakenBack(call: Call, work: Pick<HeldWork, 'tries'>): Promise<boolean> {
    const why = isOld(call) ? await whyNotAnyMore(call, work) : undefined;
    if (why === undefined) return false;
    // Nobody can tell from here whether the graph had it before a crash.
    const note = sentence`Not handed over, or not again after a crash: ${why}`;
    const outcome = { kind: 'error', text: plainSentence(note) } as const;
    const step = recordRunEnd({ ...call, note }, outcome, clock.now());
    await commitSteps(deps, call, [step]);
    return true;
  }

  return async function recheckHanded(
    calls: readonly Call[],
    work: Pick<HeldWork, 'tries'>,
  ): Promise<boolean> {
    const taken = await Promise.all(calls.map((call) => isTakenBack(call, work)));
    return taken.includes(true);
  };
}
