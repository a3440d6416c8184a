/**
 * Conditions in CEL (https://cel.dev). Evaluation is synchronous. If it needs external facts, they
 * are fetched and it runs again. A watchdog stops slow evaluations. After a slow one, the process
 * gets to do other work first.
 */
import { setImmediate } from 'node:timers/promises';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { JsonValue } from '../../domain/json/json.ts';
import { type AgentName, type AgentPattern, formatAgent } from '../../domain/policy/agent-name.ts';
import type { Condition, ConditionLookups } from '../../domain/policy/policy.ts';
import { sumField } from '../../domain/policy/policy-totals.ts';
import type { GateFacts } from '../../domain/policy/route.ts';
import { createTimeLimit } from '../../domain/runtime/time-limit.ts';
import { parseDuration } from '../../domain/text/duration.ts';
import { rootOf } from '../../domain/threads/thread-key.ts';
import { readAgentLiterals } from './agent-literals.ts';
import { type CelPatterns, compilePattern } from './cel-patterns.ts';
import { type CelValue, ConditionError } from './cel-values.ts';
import { evaluateCel } from './evaluate-cel.ts';
import {
  conditionLookBackMs,
  describeInvalidWindow,
  findInvalidLiteral,
  patternsOf,
} from './find-invalid-literal.ts';
import { createConditionParser } from './parse-condition.ts';

/** A compiled condition, or what is wrong with its text and where (character index). */
export type CompiledCondition =
  | {
      readonly ok: true;
      readonly condition: Condition;
      readonly lookBackMs: number;
      /** Agents named without their kind. */
      readonly mentions: readonly AgentPattern[];
      readonly ast: ASTNode;
    }
  | { readonly ok: false; readonly problem: string; readonly at: number };

/** Time limit of an evaluation. */
const MAX_MS = 40;
/** A timeout with less CPU time than this is due to a busy machine, not the condition. */
const STARVED_MS = 28;
const MAX_TRIES = 3;
/** After a slower evaluation, the process does other work first. */
const SLOW_MS = 5;
/** Each fetch may reveal another need. */
const MAX_ROUNDS = 20;

type Fetched =
  | { readonly ok: true; readonly value: CelValue }
  | { readonly ok: false; readonly error: unknown };

type ConditionParser = ReturnType<typeof createConditionParser>;
type Watchdog = ReturnType<typeof createTimeLimit>;

const TOO_DEEP = 'The arguments are nested too deeply.';

class TimeoutError extends ConditionError {}

/** One evaluation: the external facts fetched so far, and those still needed. */
interface Run {
  readonly facts: GateFacts;
  readonly outside: ConditionLookups;
  readonly known: ReadonlyMap<string, Fetched>;
  readonly needs: Map<string, () => Promise<CelValue>>;
}

/** Creates the compiler of conditions, given the existing agents. */
export function createConditionCompiler(
  agents: readonly AgentName[] = [],
): (source: string) => CompiledCondition {
  // Created lazily: most policy files have no conditions, and these are expensive.
  let tools: { readonly parse: ConditionParser; readonly watchdog: Watchdog } | undefined;

  return function compile(source) {
    tools ??= { parse: createConditionParser(), watchdog: createTimeLimit() };
    const { parse, watchdog } = tools;
    const parsed = parse(source);
    if ('problem' in parsed) return { ok: false, ...parsed };
    const { ast } = parsed;
    const bad = findInvalidLiteral(ast);
    if (bad) return { ok: false, ...bad };
    const named = readAgentLiterals(ast, agents);
    if ('problem' in named) return { ok: false, ...named };
    const { literals, mentions } = named;
    const condition = toCondition(createEvaluation(ast, literals, watchdog));
    return { ok: true, condition, lookBackMs: conditionLookBackMs(ast), mentions, ast };
  };
}

function createEvaluation(
  ast: ASTNode,
  literals: ReadonlyMap<ASTNode, CelValue>,
  watchdog: Watchdog,
): (run: Run) => Fetched {
  let patterns = compileAll(ast);
  return (run) => {
    const scope = {
      variables: variablesOf(run.facts),
      requester: (field: string) => requesterOf(run, field),
      total: (name: string, args: readonly CelValue[]) => totalOf(run, name, args),
      literals,
      patterns,
    };
    try {
      return { ok: true, value: watchdog(() => evaluateCel(ast, scope), MAX_MS) as CelValue };
    } catch (error) {
      if (error instanceof RangeError) return { ok: false, error: new ConditionError(TOO_DEEP) };
      if (!isTimeout(error)) return { ok: false, error };
      // An aborted match may leave a pattern's internal state corrupt.
      patterns = compileAll(ast);
      return { ok: false, error: new TimeoutError(`It took longer than ${MAX_MS} ms.`) };
    }
  };
}

/** The error comes from another realm, so `instanceof Error` is false. */
function isTimeout(error: unknown): boolean {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function compileAll(ast: ASTNode): CelPatterns {
  const patterns: CelPatterns = new Map();
  for (const { args: pattern } of patternsOf(ast)) {
    const read = compilePattern(pattern);
    if (read.ok) patterns.set(pattern, read.compiled);
  }
  return patterns;
}

function variablesOf(facts: GateFacts): ReadonlyMap<string, CelValue> {
  return new Map<string, CelValue>([
    ['args', facts.args as CelValue],
    ['tool', facts.tool],
    ['agent', facts.agent ? formatAgent(facts.agent) : ''],
    ['channel', facts.channel],
    ['thread', rootOf(facts.thread)],
  ]);
}

function need(run: Run, key: string, fetch: () => Promise<CelValue>): CelValue {
  const fetched = run.known.get(key);
  if (fetched?.ok) return fetched.value;
  if (fetched) throw fetched.error;
  run.needs.set(key, fetch);
  throw new ConditionError(`It needs ${key}.`);
}

function requesterOf(run: Run, field: string): CelValue {
  const { facts, outside } = run;
  switch (field) {
    case 'id':
      return facts.requester.user;
    case 'team':
      return facts.requester.team;
    case 'email':
      return need(run, 'email', () => outside.emailOf(facts.requester));
    default:
      return need(run, 'groups', () => outside.groupsOf(facts.requester));
  }
}

function totalOf(run: Run, name: string, args: readonly CelValue[]): CelValue {
  const [field, window = field] = args;
  if (typeof field !== 'string' || typeof window !== 'string') {
    throw new ConditionError(`no such overload: ${name}().`);
  }
  const windowMs = parseDuration(window);
  if (windowMs === undefined) throw new ConditionError(describeInvalidWindow(window));
  const earlier = need(run, `calls:${windowMs}`, async () => {
    return (await run.outside.earlierArgs(windowMs)) as readonly CelValue[];
  }) as readonly JsonValue[];
  if (name === 'count') return BigInt(earlier.length + 1);
  return sumField(field, run.facts.args as JsonValue, earlier);
}

function toCondition(evaluate: (run: Run) => Fetched): Condition {
  return async (facts, outside) => {
    const known = new Map<string, Fetched>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const needs: Run['needs'] = new Map();
      const result = await evaluateWithLimit(() => evaluate({ facts, outside, known, needs }));
      // The result may not depend on what is missing: “true || …” needs nothing more.
      const [first] = needs;
      if (result.ok || !first) return toVerdict(result);
      // Fetch one at a time, because its value may make the others unnecessary.
      const [key, fetch] = first;
      known.set(key, await settleFetch(fetch));
    }
    throw new Error('It needs too many lookups.');
  };
}

/** Retries timeouts caused by a busy machine, and yields to other work after a slow evaluation. */
async function evaluateWithLimit(evaluate: () => Fetched): Promise<Fetched> {
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    const result = evaluate();
    const { system, user } = process.cpuUsage(before);
    if (performance.now() - startedAt > SLOW_MS) await setImmediate();
    const isTimeoutOurs = (system + user) / 1_000 >= STARVED_MS || tries === MAX_TRIES;
    if (result.ok || !(result.error instanceof TimeoutError) || isTimeoutOurs) return result;
  }
}

async function settleFetch(fetch: () => Promise<CelValue>): Promise<Fetched> {
  try {
    return { ok: true, value: await fetch() };
  } catch (error) {
    return { ok: false, error };
  }
}

function toVerdict(result: Fetched): boolean {
  if (!result.ok) throw new Error(describeFailure(result.error), { cause: result.error });
  if (typeof result.value === 'boolean') return result.value;
  throw new Error('It is neither true nor false.');
}

function describeFailure(error: unknown): string {
  const text = error instanceof Error ? error.message : 'It failed.';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
