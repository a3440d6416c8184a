/**
 * Conditions in CEL (https://cel.dev). They are evaluated without waiting; what they need of the
 * outside is noted on the way, fetched, and they are evaluated again. Whatever a condition does, it
 * ends: CEL has no loops but over what there is, and a watchdog cuts off what takes too long.
 */
import { Environment } from '@marcbachmann/cel-js';
import { parseDuration } from '../domain/duration.ts';
import type { JsonValue } from '../domain/json.ts';
import type { Condition, Outside } from '../domain/policy.ts';
import { sumField } from '../domain/policy-totals.ts';
import type { GateFacts } from '../domain/route.ts';
import { rootOf } from '../domain/thread-key.ts';
import { createWatchdog } from '../domain/watchdog.ts';
import { isCelError, sayFailure, withStop } from './cel-error.ts';
import { findBadLiteral, lookBackOf, sayWindow } from './find-bad-literal.ts';
import { mixNumbers } from './mix-numbers.ts';

/** A condition, or what is wrong with its text, and at which of its characters. */
export type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition; readonly lookBackMs: number }
  | { readonly ok: false; readonly problem: string; readonly at: number };

/** The most that a condition may take at once; regular expressions can take for ever. */
const MAX_MS = 250;
/** What each round fetches may lead to another need. */
const MAX_ROUNDS = 20;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 100 };

const VARIABLES = ['args', 'tool', 'agent', 'requester', 'channel', 'thread'];

type Fetched =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** One evaluation: what is known of the outside by now, and what turns out to be needed. */
interface Run {
  readonly facts: GateFacts;
  readonly outside: Outside;
  readonly known: ReadonlyMap<string, Fetched>;
  readonly needs: Map<string, () => Promise<unknown>>;
}

/** Makes the function that compiles conditions. */
export function createConditionCompiler(): (source: string) => CompiledCondition {
  let run: Run | undefined;
  const watchdog = createWatchdog();

  function need<Value>(key: string, fetch: (run: Run) => Promise<Value>): Value {
    if (!run) throw new Error('A condition was evaluated outside of a run.');
    const fetched = run.known.get(key);
    if (fetched?.ok) return fetched.value as Value;
    if (fetched) throw fetched.error;
    const { needs } = run;
    const asked = run;
    needs.set(key, () => fetch(asked));
    throw new Error(`It needs ${key}.`);
  }

  function earlierArgs(window: string): readonly JsonValue[] {
    const windowMs = parseDuration(window);
    if (windowMs === undefined) throw new Error(sayWindow(window));
    return need(`calls:${windowMs}`, ({ outside }) => outside.earlierArgs(windowMs));
  }

  class Requester {
    get id(): string | undefined {
      return run?.facts.requester.user;
    }
    get team(): string | undefined {
      return run?.facts.requester.team;
    }
    get email(): string {
      return need('email', ({ facts, outside }) => outside.emailOf(facts.requester));
    }
    get groups(): readonly string[] {
      return need('groups', ({ facts, outside }) => outside.groupsOf(facts.requester));
    }
  }

  const environment = new Environment({ limits: LIMITS, homogeneousAggregateLiterals: false })
    .registerType('Requester', {
      ctor: Requester,
      fields: { id: 'string', team: 'string', email: 'string', groups: 'list<string>' },
    })
    .registerVariable('requester', 'Requester')
    .registerVariable('args', 'dyn')
    .registerVariable('tool', 'string')
    .registerVariable('agent', 'string')
    .registerVariable('channel', 'string')
    .registerVariable('thread', 'string')
    .registerFunction('spent(string, string): double', (field: string, window: string) => {
      const earlier = earlierArgs(window);
      return sumField(field, run?.facts.args as JsonValue, earlier);
    })
    .registerFunction('count(string): int', (window: string) =>
      BigInt(earlierArgs(window).length + 1),
    );
  mixNumbers(environment);

  function evaluate(parsed: (context: object) => unknown, next: Run): Fetched {
    const { facts } = next;
    const context = {
      args: facts.args,
      tool: facts.tool,
      agent: facts.agent ?? '',
      channel: facts.channel,
      thread: rootOf(facts.thread),
      requester: new Requester(),
    };
    run = next;
    try {
      return { ok: true, value: watchdog(() => parsed(context), MAX_MS) };
    } catch (error) {
      return { ok: false, error };
    } finally {
      run = undefined;
    }
  }

  return function compile(source) {
    try {
      const parsed = environment.parse(source);
      const checked = parsed.check();
      if (!checked.valid) return toProblem(checked.error);
      if (checked.type !== 'bool' && checked.type !== 'dyn') {
        return { ok: false, problem: `It gives ${checked.type}, and not true or false.`, at: 0 };
      }
      const literal = findBadLiteral(parsed.ast);
      if (literal) return { ok: false, ...literal };
      const condition = toCondition((next) => evaluate(parsed, next));
      return { ok: true, condition, lookBackMs: lookBackOf(parsed.ast) };
    } catch (error) {
      return toProblem(error);
    }
  };
}

function toCondition(evaluate: (run: Run) => Fetched): Condition {
  return async (facts, outside) => {
    const known = new Map<string, Fetched>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const needs: Run['needs'] = new Map();
      const result = evaluate({ facts, outside, known, needs });
      // A value holds whatever is missing: “true ||” needs nothing more.
      const [first] = needs;
      if (result.ok || !first) return toVerdict(result);
      // The others may not matter any more once it is known.
      const [key, fetch] = first;
      known.set(key, await settle(fetch));
    }
    throw new Error('It asks for too much.');
  };
}

async function settle(fetch: () => Promise<unknown>): Promise<Fetched> {
  try {
    return { ok: true, value: await fetch() };
  } catch (error) {
    return { ok: false, error };
  }
}

function toVerdict(result: Fetched): boolean {
  if (!result.ok) throw new Error(sayFailure(result.error, MAX_MS), { cause: result.error });
  if (typeof result.value === 'boolean') return result.value;
  throw new Error('It is neither true nor false.');
}

function toProblem(error: unknown): Extract<CompiledCondition, { ok: false }> {
  if (!isCelError(error)) throw error;
  const at = error.range?.start ?? 0;
  const isVariable = error.code === 'unknown_variable';
  const remedy = isVariable ? ` There are: ${VARIABLES.join(', ')}.` : '';
  return { ok: false, problem: `${withStop(error.summary)}${remedy}`, at };
}
