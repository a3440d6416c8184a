import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { GateAnswer, Route } from '../../../domain/policy/route.ts';
import type { LookupOptions } from '../../../domain/ports/directory.ts';
import type { KnownApprovers } from '../../../domain/rules/execution-rules.ts';
import { reachedRouteOf } from '../../../domain/rules/reminder-schedule.ts';
import { ruleReroute } from '../../../domain/rules/reroute-rules.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { DeskDeps } from '../../deps.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { recheckApprovers } from '../recheck-approvers.ts';
import { evaluateGate, withPolicyDetails } from './evaluate-policy.ts';

/** Dependencies for evaluating a pending call again. */
export type ReevaluateDeps = Pick<
  DeskDeps,
  'clock' | 'toolbox' | 'helpers' | 'gate' | 'log' | 'directory'
>;

/** The question to the gate and its answer. */
export interface AskedGate {
  readonly call: Call;
  readonly gate: GateAnswer;
}

/** How thoroughly earlier approvers are checked. */
interface ReevaluateOptions extends LookupOptions {
  /** Skips the approvers if the route itself has not changed. */
  readonly routeOnly?: true;
  /** Receives the gate's answer. */
  readonly onAnswer?: ((asked: AskedGate) => void) | undefined;
}

export type ReevaluatePolicy = (call: Call, lookup: ReevaluateOptions) => Promise<Step | undefined>;

/**
 * Builds the check of a pending call's route: returns the step to its new route, or undefined.
 * Throws if an approval would be dropped only because Slack could not be asked about the approver.
 */
export function createReevaluatePolicy(deps: ReevaluateDeps): ReevaluatePolicy {
  /** The policy's current answer, with the tool's current risk. */
  async function ask(call: Call) {
    const tool = toolsOf(deps, call.thread, call.agent).of(call);
    const parsed = tool && parseStoredArgs(call, tool);
    const risk = call.outside ? undefined : tool?.risk;
    const asked = { ...call, ...(risk && { risk }) };
    return { risk, call: asked, gate: await evaluateGate(deps, asked, parsed) };
  }

  return async function evaluateAgain(call, { onAnswer, routeOnly, ...lookup }) {
    const now = deps.clock.now();
    if (!behaviourOf(call).isUnderPolicy) return undefined;
    const { call: asked, gate, risk } = await ask(call);
    onAnswer?.({ call: asked, gate });
    const rule = (voters: KnownApprovers | undefined) =>
      ruleReroute(call, { gate, now, risk, voters });
    const route = routeBy(gate, call);
    if (!route || (routeOnly && !rule(undefined))) return undefined;
    const { failure, voters } = await recheckApprovers(deps, call, route, lookup);
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
