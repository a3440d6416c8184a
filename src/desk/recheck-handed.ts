import { type Call, isTerminal } from '../domain/call.ts';
import { finish } from '../domain/claim.ts';
import { readStoredJson } from '../domain/json.ts';
import { isHanded } from '../domain/outside.ts';
import { routeReached } from '../domain/patience.ts';
import type { Route } from '../domain/route.ts';
import type { ParsedArgs } from '../domain/tool.ts';
import type { Step } from '../domain/transitions.ts';
import { askGate, heedAnswer } from './ask-gate.ts';
import { askVoters, ruleWithVoters } from './ask-voters.ts';
import type { DeskDeps, Work } from './deps.ts';
import { effectsOf } from './effects.ts';

/** A claim of just now was looked at as closely. */
const FRESH_MS = 5_000;

type Handing = Pick<Work, 'fence' | 'tries'>;

/**
 * Builds the last look at what is about to be handed to a graph: others of its batch, or what runs in
 * its thread, may have kept it for hours since its claim. What the policy refuses by now, and what
 * too few may still approve, is ended; resolves with whether there was any.
 */
export function createRecheckHanded(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'directory' | 'gate' | 'log'>,
) {
  const { store, clock } = deps;

  function isFresh({ claim }: Call): boolean {
    return claim === undefined || Math.abs(clock.now() - claim.at) <= FRESH_MS;
  }

  async function stepBack(call: Call, handing: Handing): Promise<Step | undefined> {
    if (isFresh(call) || isTerminal(call) || !isHanded(call)) return undefined;
    const { args, route } = call;
    const parsed = { ok: true, value: readStoredJson(args), canonical: args } as const;
    const gate = await askGate(deps, call, parsed);
    // Whom it would ask was heeded at the claim: by now it would count what came later.
    if (gate.kind === 'refuse') return heedAnswer(takeBack(call, `Refused. ${gate.reason}`), gate);
    const why = route && (await whyLost(call, route, parsed, handing));
    return why === undefined ? undefined : takeBack(call, why);
  }

  async function whyLost(
    call: Call,
    route: Route,
    parsed: ParsedArgs,
    { fence, tries }: Handing,
  ): Promise<string | undefined> {
    const asked = await askVoters(deps, call, routeReached(call, route));
    const facts = { now: clock.now(), fence, gate: { kind: 'ask', route }, parsed } as const;
    const { deadlineAt: _decidedInTime, ...rest } = call;
    const step = ruleWithVoters({ ...rest, status: 'approved' }, facts, asked, tries);
    if (step.cause === 'claim') return undefined;
    return asked.failure === undefined
      ? 'Too few of those who approved it may still approve it.'
      : 'Slack does not tell who may still approve it.';
  }

  /** Nobody can tell from here whether the graph had it before a crash. */
  function takeBack(call: Call, why: string): Step {
    const text = `Not handed to “${call.outside?.name}”, or not again after a crash. ${why}`;
    return finish(call, { kind: 'error', text }, clock.now());
  }

  async function isTakenBack(call: Call, handing: Handing): Promise<boolean> {
    const step = await stepBack(call, handing);
    if (step) await store.ledger.write(call, [step], effectsOf(call, [step], undefined));
    return step !== undefined;
  }

  return async function recheckHanded(calls: readonly Call[], handing: Handing): Promise<boolean> {
    const taken = await Promise.all(calls.map((call) => isTakenBack(call, handing)));
    return taken.includes(true);
  };
}
