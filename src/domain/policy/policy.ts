/**
 * The policy: rules in order, of which the first that matches answers. Where a condition can't be
 * answered, a rule that refuses refuses, a rule that asks asks on its route, and a rule that runs asks
 * on the route that it names for this, or is skipped: later rules answer, but none of them can run it.
 */

import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import { matchesGlob } from '../text/glob.ts';
import { type AgentName, type AgentPattern, formatAgent, matchAgent } from './agent-name.ts';
import type { GateAnswer, GateFacts, Risk, Route } from './route.ts';

/** What Slack knows of people that conditions may ask for; each rejects when it can't be told. */
export interface PersonLookup {
  emailOf(person: Person): Promise<string>;
  /** Ids of the user groups that a person is in. */
  groupsOf(person: Person): Promise<readonly string[]>;
}

/** What a condition may want to know beyond the call: it is asked for only when a condition does. */
export interface ConditionLookups extends PersonLookup {
  /** The arguments of the requester's other calls of this tool that count in a window that ends now. */
  earlierArgs(windowMs: number): Promise<readonly JsonValue[]>;
}

/** Answers for a call; rejects, with words for people, when it can't. */
export type Condition = (facts: GateFacts, outside: ConditionLookups) => Promise<boolean>;

/** What a rule says of the calls that it matches; `R` is a route, or the name of one. */
export type PolicyRuling<R> =
  | { readonly gate: 'run' }
  | {
      readonly gate: 'ask';
      readonly route: R;
      /** In place of the tool's own. */
      readonly risk?: Risk;
    }
  | { readonly gate: 'refuse'; readonly reason: string };

export interface Rule<R> {
  /** For people: which one it is, e.g. `rule 3, line 21`. */
  readonly name: string;
  /** Patterns with `*`. */
  readonly tools: readonly string[];
  /** The agents whose calls it is about. (Default: everybody's calls.) */
  readonly agents?: readonly AgentPattern[];
  readonly condition?: Condition;
  /** Agents that the condition names without their kind. */
  readonly mentions?: readonly AgentPattern[];
  /** The condition as it was written, for people. */
  readonly when?: string;
  /** How far back (ms) the condition looks at earlier calls. (Default: it does not.) */
  readonly lookBackMs?: number;
  readonly ruling: PolicyRuling<R>;
  /** Where people are asked when the condition of a rule that runs can't be answered. (Default: later rules answer.) */
  readonly errorRoute?: R;
}

/** Arguments that nobody is shown, whatever rule holds. */
export interface Redaction {
  /** Patterns with `*`. */
  readonly tools: readonly string[];
  /** Dotted paths. */
  readonly args: readonly string[];
}

/** Lists the dotted paths of a tool's arguments that nobody is shown. */
export function redactedPathsOf({ redact = [] }: Pick<Policy<unknown>, 'redact'>, tool: string) {
  const found = redact.filter(({ tools }) => tools.some((glob) => matchesGlob(glob, tool)));
  return [...new Set(found.flatMap(({ args }) => args))];
}

/** What no rule speaks of is asked about or refused: a hole is never a run. */
export interface Policy<R> {
  /** What rules that ask do where their condition can't be answered; it changes nothing for rules that run or refuse. */
  readonly onError: 'ask' | 'run';
  /** Whether routes that are set in Slack may ask for less than the rules do. (Default: they may not.) */
  readonly slackMayLoosen?: boolean;
  /** Arguments that nobody is shown. (Default: none, but for what tools of ours declare.) */
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

/** A policy as it holds now. */
export interface LoadedPolicy {
  /** SHA-256 of its text. */
  readonly hash: string;
  readonly policy: Policy<Route>;
}

/** Why a rule was not the one. */
export interface SkippedRule {
  readonly rule: string;
  readonly why: 'tool' | 'agent' | 'condition' | 'failure';
}

/** What the policy says of a call, by which rule, and why not by an earlier one. */
export interface Evaluation<R> {
  /** The one whose condition could not be answered, where there is one. */
  readonly rule: string;
  readonly ruling: PolicyRuling<R>;
  /** Why the rule's condition could not be answered, in words for people. */
  readonly failure?: string;
  /** No rule spoke of the call. */
  readonly isDefault?: true;
  readonly passedOver: readonly SkippedRule[];
}

/** Finds the first rule that matches; never rejects, whatever a condition does. */
export async function evaluatePolicy<R>(
  policy: Policy<R>,
  facts: GateFacts,
  outside: ConditionLookups,
): Promise<Evaluation<R>> {
  const passedOver: SkippedRule[] = [];
  let doubt: Doubt | undefined;
  for (const rule of policy.rules) {
    const match = await tryRule(rule, facts, outside);
    if (match.kind === 'no') {
      passedOver.push({ rule: rule.name, why: match.why });
      continue;
    }
    if (match.kind === 'yes') return { ...rulingOf(policy, rule, doubt), passedOver };
    const failed = { rule: rule.name, failure: match.failure };
    const ruling = rulingOnError(policy, rule, doubt !== undefined);
    if (ruling) return { ...failed, ruling, passedOver };
    doubt ??= failed;
    passedOver.push({ rule: rule.name, why: 'failure' });
  }
  if (doubt) return { ...rulingOf(policy, policy.fallback, doubt), passedOver };
  return {
    rule: policy.fallback.name,
    ruling: policy.fallback.ruling,
    isDefault: true,
    passedOver,
  };
}

/** The first rule whose condition could not be answered. */
type Doubt = Required<Pick<Evaluation<unknown>, 'rule' | 'failure'>>;

/** After a rule that could not be answered nothing runs. */
function rulingOf<R>(
  { fallback }: Policy<R>,
  { name, ruling }: Pick<Rule<R>, 'name' | 'ruling'>,
  doubt: Doubt | undefined,
): Omit<Evaluation<R>, 'passedOver'> {
  if (!doubt) return { rule: name, ruling };
  return { ...doubt, ruling: ruling.gate === 'run' ? fallback.ruling : ruling };
}

/** Returns the gate's answer for an evaluation; `hash` names the policy in the audit. */
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

/** Returns the policy with its routes in place of their names. */
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
  outside: ConditionLookups,
): Promise<Match> {
  if (!rule.tools.some((glob) => matchesGlob(glob, facts.tool))) return { kind: 'no', why: 'tool' };
  const unfit = judgeAgent(rule, facts);
  if (unfit) return unfit;
  if (!rule.condition) return { kind: 'yes' };
  try {
    const held: unknown = await rule.condition(facts, outside);
    if (held === true) return { kind: 'yes' };
    if (held === false) return { kind: 'no', why: 'condition' };
    return { kind: 'failed', failure: 'its condition is neither true nor false' };
  } catch (error) {
    return { kind: 'failed', failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Undefined where nothing about the agent keeps the rule from matching. */
function judgeAgent<R>(
  { agents, mentions = [], ruling }: Rule<R>,
  { agent, isOutside }: GateFacts,
): Mismatch | undefined {
  const meant = agents?.map((pattern) => matchAgent(pattern, agent));
  if (meant && !meant.includes('yes')) {
    const at = meant.indexOf('unclear');
    return at === -1 ? { kind: 'no', why: 'agent' } : describeUnclear(agents?.[at], agent);
  }
  // Programs name their tools themselves: only a rule that names the program lets one run.
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
  const failure = `“${text}” means ${kind}:${text} there, and ${who} has such a name too.`;
  return { kind: 'failed', failure };
}

/** Undefined where later rules have to answer. */
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
  return `${reason} (The policy’s condition could not be answered, ${rule}: ${failure})`;
}

function describeFailure(rule: string, failure: string): string {
  return `The policy’s condition could not be answered (${rule}): ${failure} So people are asked.`;
}
