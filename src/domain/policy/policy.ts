/**
 * The policy: ordered rules, of which the first match answers. If a condition fails, a `refuse`
 * rule refuses and an `ask` rule asks on its route. A failing `run` rule asks on its error route;
 * without one, later rules answer, but none of them can run the call.
 */

import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import { matchesGlob } from '../text/glob.ts';
import { type AgentName, type AgentPattern, formatAgent, matchAgent } from './agent-name.ts';
import type { GateAnswer, GateFacts, Risk, Route } from './route.ts';

/** Slack lookups for conditions. Each rejects if the lookup fails. */
export interface PersonLookup {
  emailOf(person: Person): Promise<string>;
  /** Ids of the user groups of a person. */
  groupsOf(person: Person): Promise<readonly string[]>;
}

/** Facts beyond the call. They are looked up only if a condition needs them. */
export interface ConditionLookups extends PersonLookup {
  /**
   * Arguments of the requester's other calls of this tool that count within the window before now.
   */
  earlierArgs(windowMs: number): Promise<readonly JsonValue[]>;
}

/** Evaluates a condition for a call. Rejects with a message for people if it can't. */
export type Condition = (facts: GateFacts, lookups: ConditionLookups) => Promise<boolean>;

/** A rule's answer for matching calls. `R` is a route or a route's name. */
export type PolicyRuling<R> =
  | { readonly gate: 'run' }
  | {
      readonly gate: 'ask';
      readonly route: R;
      /** Overrides the tool's own risk. */
      readonly risk?: Risk;
    }
  | { readonly gate: 'refuse'; readonly reason: string };

export interface Rule<R> {
  /** Name for people, e.g. `rule 3, line 21`. */
  readonly name: string;
  /** Tool names, and patterns with `*`. */
  readonly tools: readonly string[];
  /** The agents it applies to. (Default: all.) */
  readonly agents?: readonly AgentPattern[];
  readonly condition?: Condition;
  /** Agents that the condition names without a kind. */
  readonly mentions?: readonly AgentPattern[];
  /** The condition's source text, for people. */
  readonly when?: string;
  /** How far back (ms) the condition looks at earlier calls. (Default: not at all.) */
  readonly lookBackMs?: number;
  readonly ruling: PolicyRuling<R>;
  /** The route to ask on if a `run` rule's condition fails. (Default: later rules answer.) */
  readonly errorRoute?: R;
}

/** Arguments that are never shown, whichever rule applies. */
export interface Redaction {
  /** Tool names, and patterns with `*`. */
  readonly tools: readonly string[];
  /** Dotted paths. */
  readonly args: readonly string[];
}

/** Lists the dotted paths of a tool's arguments that are never shown. */
export function redactedPathsOf({ redact = [] }: Pick<Policy<unknown>, 'redact'>, tool: string) {
  const found = redact.filter(({ tools }) => tools.some((glob) => matchesGlob(glob, tool)));
  return [...new Set(found.flatMap(({ args }) => args))];
}

/** A whole policy. Calls that match no rule are asked about or refused, never run. */
export interface Policy<R> {
  /** What `ask` rules do if their condition fails. Rules that run or refuse are not affected. */
  readonly onError: 'ask' | 'run';
  /** Whether routes set in Slack may ask for less than the rules. (Default: no.) */
  readonly slackMayLoosen?: boolean;
  /** Arguments that are never shown. (Default: only those that our tools declare.) */
  readonly redact?: readonly Redaction[];
  readonly rules: readonly Rule<R>[];
  readonly fallback: {
    readonly name: string;
    readonly ruling: Exclude<PolicyRuling<R>, { readonly gate: 'run' }>;
  };
}

/** Returns how far back (ms) a policy looks at earlier calls. */
export function policyLookBackMs({ rules }: Policy<unknown>): number {
  return Math.max(0, ...rules.map(({ lookBackMs = 0 }) => lookBackMs));
}

/** The policy in force. */
export interface LoadedPolicy {
  /** SHA-256 of its text. */
  readonly hash: string;
  readonly policy: Policy<Route>;
}

/** Why a rule did not apply. */
export interface SkippedRule {
  readonly rule: string;
  readonly why: 'tool' | 'agent' | 'condition' | 'failure';
}

/** The policy's answer for a call, and why earlier rules did not apply. */
export interface Evaluation<R> {
  /** The deciding rule, or the first one whose condition failed. */
  readonly rule: string;
  readonly ruling: PolicyRuling<R>;
  /** Why that rule's condition failed, for people. */
  readonly failure?: string;
  /** No rule matched. */
  readonly isDefault?: true;
  readonly passedOver: readonly SkippedRule[];
}

/** Finds the first matching rule. Never rejects, even if a condition throws. */
export async function evaluatePolicy<R>(
  policy: Policy<R>,
  facts: GateFacts,
  lookups: ConditionLookups,
): Promise<Evaluation<R>> {
  const passedOver: SkippedRule[] = [];
  let firstFailed: FailedRule | undefined;
  for (const rule of policy.rules) {
    const match = await tryRule(rule, facts, lookups);
    if (match.kind === 'no') {
      passedOver.push({ rule: rule.name, why: match.why });
      continue;
    }
    if (match.kind === 'yes') return { ...rulingOf(policy, rule, firstFailed), passedOver };
    const failed = { rule: rule.name, failure: match.failure };
    const ruling = rulingOnError(policy, rule, firstFailed !== undefined);
    if (ruling) return { ...failed, ruling, passedOver };
    firstFailed ??= failed;
    passedOver.push({ rule: rule.name, why: 'failure' });
  }
  if (firstFailed) return { ...rulingOf(policy, policy.fallback, firstFailed), passedOver };
  return {
    rule: policy.fallback.name,
    ruling: policy.fallback.ruling,
    isDefault: true,
    passedOver,
  };
}

/** The first rule whose condition failed. */
type FailedRule = Required<Pick<Evaluation<unknown>, 'rule' | 'failure'>>;

/** Once a condition has failed, no later rule may run the call. */
function rulingOf<R>(
  { fallback }: Policy<R>,
  { name, ruling }: Pick<Rule<R>, 'name' | 'ruling'>,
  firstFailed: FailedRule | undefined,
): Omit<Evaluation<R>, 'passedOver'> {
  if (!firstFailed) return { rule: name, ruling };
  return { ...firstFailed, ruling: ruling.gate === 'run' ? fallback.ruling : ruling };
}

/** Converts an evaluation to the gate's answer. `hash` identifies the policy in the audit. */
export function toGateAnswer(
  { rule, ruling, failure, isDefault }: Evaluation<Route>,
  hash: string,
): GateAnswer {
  const isInDoubt = failure === undefined ? {} : ({ isInDoubt: true } as const);
  const source = { rule, policy: hash, ...(isDefault && { isDefault }), ...isInDoubt };
  switch (ruling.gate) {
    case 'run':
      return { kind: 'run', ...source };
    case 'refuse':
      return { kind: 'refuse', reason: describeRefusal(rule, ruling.reason, failure), ...source };
    case 'ask':
      return {
        kind: 'ask',
        route: ruling.route,
        ...(ruling.risk && { risk: ruling.risk }),
        ...(failure !== undefined && { note: describeFailure(rule, failure) }),
        ...source,
      };
  }
}

/** Returns the policy with route names resolved by `find`. */
export function withRoutes<From, To>(
  { onError, redact, slackMayLoosen, rules, fallback }: Policy<From>,
  find: (route: From) => To,
): Policy<To> {
  const { ruling } = fallback;
  return {
    onError,
    ...(slackMayLoosen && { slackMayLoosen }),
    ...(redact && { redact }),
    rules: rules.map(({ errorRoute, ...rule }) => ({
      ...rule,
      ...(errorRoute !== undefined && { errorRoute: find(errorRoute) }),
      ruling: rule.ruling.gate === 'ask' ? findRoute(rule.ruling, find) : rule.ruling,
    })),
    fallback: {
      ...fallback,
      ruling: ruling.gate === 'ask' ? findRoute(ruling, find) : ruling,
    },
  };
}

type Asking<R> = Extract<PolicyRuling<R>, { readonly gate: 'ask' }>;

function findRoute<From, To>(
  { route, ...rest }: Asking<From>,
  find: (route: From) => To,
): Asking<To> {
  return { ...rest, route: find(route) };
}

/** Whether a rule matches a call. */
type Match =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly why: SkippedRule['why'] }
  | { readonly kind: 'failed'; readonly failure: string };

type Mismatch = Exclude<Match, { readonly kind: 'yes' }>;

async function tryRule<R>(
  rule: Rule<R>,
  facts: GateFacts,
  lookups: ConditionLookups,
): Promise<Match> {
  if (!rule.tools.some((glob) => matchesGlob(glob, facts.tool))) return { kind: 'no', why: 'tool' };
  const mismatch = checkAgent(rule, facts);
  if (mismatch) return mismatch;
  if (!rule.condition) return { kind: 'yes' };
  try {
    const result: unknown = await rule.condition(facts, lookups);
    if (result === true) return { kind: 'yes' };
    if (result === false) return { kind: 'no', why: 'condition' };
    return { kind: 'failed', failure: 'its condition is neither true nor false' };
  } catch (error) {
    return { kind: 'failed', failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns why the agent does not match; undefined if it does. */
function checkAgent<R>(
  { agents, mentions = [], ruling }: Rule<R>,
  { agent, isOutside }: GateFacts,
): Mismatch | undefined {
  const meant = agents?.map((pattern) => matchAgent(pattern, agent));
  if (meant && !meant.includes('yes')) {
    const at = meant.indexOf('unclear');
    return at === -1 ? { kind: 'no', why: 'agent' } : describeUnclear(agents?.[at], agent);
  }
  // External callers choose their tool names, so only a rule that names the caller may run one.
  if (isOutside && ruling.gate === 'run' && !agents) return { kind: 'no', why: 'agent' };
  const unclear = mentions.find((pattern) => matchAgent(pattern, agent) === 'unclear');
  return unclear && describeUnclear(unclear, agent);
}

function describeUnclear(
  pattern: AgentPattern | undefined,
  agent: AgentName | undefined,
): Mismatch {
  const who = agent ? formatAgent(agent) : '';
  const { kind = '', text = '' } = pattern ?? {};
  const failure = `“${text}” means ${kind}:${text} in the policy, but ${who} has that name too.`;
  return { kind: 'failed', failure };
}

/** Returns the answer of a rule whose condition failed; undefined if later rules have to answer. */
function rulingOnError<R>(
  { onError }: Policy<R>,
  { errorRoute, ruling }: Rule<R>,
  isInDoubt: boolean,
): PolicyRuling<R> | undefined {
  switch (ruling.gate) {
    case 'refuse':
      return ruling;
    case 'ask':
      return onError === 'run' && !isInDoubt ? { gate: 'run' } : ruling;
    case 'run':
      return errorRoute === undefined ? undefined : { gate: 'ask', route: errorRoute };
  }
}

function describeRefusal(rule: string, reason: string, failure: string | undefined): string {
  if (failure === undefined) return reason;
  return `${reason} (The policy’s condition could not be evaluated, ${rule}: ${failure})`;
}

function describeFailure(rule: string, failure: string): string {
  return `The policy’s condition could not be evaluated (${rule}): ${failure} So people are asked.`;
}
