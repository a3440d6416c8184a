import { type Call, isTerminal } from '../domain/call.ts';
import { finish } from '../domain/claim.ts';
import { readStoredJson } from '../domain/json.ts';
import { isHanded } from '../domain/outside.ts';
import { routeReached } from '../domain/patience.ts';
import { askVoters, ruleWithVoters } from './ask-voters.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';

/** A claim of just now was looked at as closely. */
const FRESH_MS = 5_000;

type Handing = Pick<Work, 'fence' | 'tries'>;

/**
 * Builds the last look at who approved what is about to be handed to a graph: others of its batch, or
 * what runs in its thread, may have kept it for hours since its claim. What may not run any more is
 * ended; resolves with whether there was any.
 */
export function createRecheckHanded(deps: Pick<DeskDeps, 'store' | 'clock' | 'directory'>) {
  const { store, clock } = deps;

  async function mayBeHanded(call: Call, { fence, tries }: Handing): Promise<boolean> {
    const { claim, route, args } = call;
    const isFresh = claim === undefined || claim.at + FRESH_MS >= clock.now();
    if (isFresh || !route || isTerminal(call) || !isHanded(call)) return true;
    const asked = await askVoters(deps, call, routeReached(call, route));
    const facts = {
      now: clock.now(),
      fence,
      // What the policy says of it was heeded at the claim: by now it would count what came later.
      gate: { kind: 'ask', route },
      parsed: { ok: true, value: readStoredJson(args), canonical: args },
    } as const;
    const { deadlineAt: _decidedInTime, ...rest } = call;
    const step = ruleWithVoters({ ...rest, status: 'approved' }, facts, asked, tries);
    return step.cause === 'claim';
  }

  async function isTakenBack(call: Call, handing: Handing): Promise<boolean> {
    if (await mayBeHanded(call, handing)) return false;
    const step = finish(call, { kind: 'error', text: sayTakenBack(call) }, clock.now());
    await store.ledger.write(call, [step], effectsOf(call, [step], undefined));
    return true;
  }

  return async function recheckHanded(calls: readonly Call[], handing: Handing): Promise<boolean> {
    const taken = await Promise.all(calls.map((call) => isTakenBack(call, handing)));
    return taken.includes(true);
  };
}

/** Nobody can tell from here whether the graph had it before a crash. */
function sayTakenBack({ outside }: Call): string {
  return `Not handed to “${outside?.name}”, or not again after a crash: too few of those who approved it may still approve it.`;
}
