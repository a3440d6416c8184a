import type { Call } from '../../../domain/calls/call.ts';
import { isServerQuestion } from '../../../domain/calls/call-origin.ts';
import type { KnownApprovers } from '../../../domain/calls/execution-rules.ts';
import { reachedRouteOf } from '../../../domain/calls/reminder-schedule.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { ruleReroute } from '../../../domain/policy/reroute-rules.ts';
import type { GateAnswer, Route } from '../../../domain/policy/route.ts';
import type { LookupOptions } from '../../../domain/ports/directory.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { DeskDeps } from '../../deps.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { recheckApprovers } from '../recheck-approvers.ts';
import { evaluateGate, withPolicyDetails } from './evaluate-policy.ts';

/** What a waiting call is evaluated with. */
export type ReevaluateDeps = Pick<
  DeskDeps,
  'clock' | 'toolbox' | 'helpers' | 'gate' | 'log' | 'directory'
>;

/** What the gate was asked about, and what it answered. */
export interface AskedGate {
  readonly call: Call;
  readonly gate: GateAnswer;
}

/** How closely those who approved are looked at. */
interface Closeness extends LookupOptions {
  /** Whether they are passed over where the route itself is as it was. */
  readonly routeOnly?: true;
  /** Hears what the gate answered. */
  readonly onAnswer?: ((asked: AskedGate) => void) | undefined;
}

export type ReevaluatePolicy = (call: Call, asking: Closeness) => Promise<Step | undefined>;

/**
 * Builds the question what has become of a waiting call's route: the step by which it follows, or
 * undefined. Rejects while an approval would be dropped only because Slack does not tell who its
 * giver is.
 */
export function createReevaluatePolicy(deps: ReevaluateDeps): ReevaluatePolicy {
  /** The policy's answer of now, and what the tool says of its own risk. */
  async function ask(call: Call) {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const risk = call.outside ? undefined : tool?.risk;
    const asked = { ...call, ...(risk && { risk }) };
    return { risk, call: asked, gate: await evaluateGate(deps, asked, parsed) };
  }

  return async function evaluateAgain(call, { onAnswer, routeOnly, ...asking }) {
    const now = deps.clock.now();
    // No rule of the policy is about what a server asks.
    if (isServerQuestion(call)) return undefined;
    const { call: asked, gate, risk } = await ask(call);
    onAnswer?.({ call: asked, gate });
    const rule = (voters: KnownApprovers | undefined) =>
      ruleReroute(call, { gate, now, risk, voters });
    const route = routeBy(gate, call);
    if (!route || (routeOnly && !rule(undefined))) return undefined;
    const { failure, voters } = await recheckApprovers(deps, call, route, asking);
    const step = rule(voters);
    if (failure !== undefined && step && isDropping(call, step)) throw failure;
    return step && withPolicyDetails(step, gate);
  };
}

function routeBy(gate: GateAnswer, call: Call): Route | undefined {
  return gate.kind === 'ask' ? reachedRouteOf(call, gate.route) : call.route;
}

function isDropping(call: Call, step: Step): boolean {
  return step.call.votes.length < call.votes.length;
}
