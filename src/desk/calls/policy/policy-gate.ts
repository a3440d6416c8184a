/** The gate made from a policy: asked when a call is proposed, and again when it is claimed. */

import { type JsonValue, readStoredJson } from '../../../domain/json/json.ts';
import {
  type ConditionLookups,
  type Evaluation,
  evaluatePolicy,
  type LoadedPolicy,
  type PersonLookup,
  redactedPathsOf,
  toGateAnswer,
} from '../../../domain/policy/policy.ts';
import { countedCalls } from '../../../domain/policy/policy-totals.ts';
import type { Gate, GateAnswer, GateFacts, Route } from '../../../domain/policy/route.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { Store } from '../../../domain/ports/store.ts';

const FAILED = {
  run: 'A policy condition could not be evaluated; the call runs anyway (onPolicyError: run).',
  ask: 'A policy condition could not be evaluated; people are asked.',
  refuse: 'A policy condition could not be evaluated; the call is refused.',
} as const;

export interface PolicyGateDeps {
  /** Returns the current policy. */
  readonly policy: () => LoadedPolicy;
  readonly store: Pick<Store, 'ledger' | 'audit'>;
  readonly people: PersonLookup;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Creates the gate; it never rejects. A condition that fails to evaluate is logged and audited. If
 * auditing fails, a `run` answer is replaced by the policy's fallback.
 */
export function createPolicyGate(deps: PolicyGateDeps): Gate {
  const { policy, store, people, clock, log } = deps;

  async function earlierArgs(facts: GateFacts, windowMs: number): Promise<readonly JsonValue[]> {
    const since = clock.now() - windowMs;
    const calls = await store.ledger.ofRequester(facts.requester, facts.tool, since);
    return countedCalls(calls, facts.call, since).map(({ args }) => readStoredJson(args));
  }

  /** Caches lookups: several rules may need the same. */
  function lookupsFor(facts: GateFacts): ConditionLookups {
    const asked = new Map<string, Promise<unknown>>();
    const once = <Value>(key: string, ask: () => Promise<Value>): Promise<Value> => {
      const answer = asked.get(key) ?? ask();
      asked.set(key, answer);
      return answer as Promise<Value>;
    };
    return {
      emailOf: (person) => once('email', () => people.emailOf(person)),
      groupsOf: (person) => once('groups', () => people.groupsOf(person)),
      earlierArgs: (ms) => once(`calls:${ms}`, () => earlierArgs(facts, ms)),
    };
  }

  async function answerFailed(
    evaluation: Evaluation<Route>,
    facts: GateFacts,
    { hash, policy: rules }: LoadedPolicy,
  ): Promise<GateAnswer> {
    const answer = toGateAnswer(evaluation, hash);
    const detail = { tool: facts.tool, rule: evaluation.rule, answer: answer.kind, policy: hash };
    const subject = facts.call?.id ?? facts.thread;
    log.error({ ...detail, call: subject, failure: evaluation.failure }, FAILED[answer.kind]);
    try {
      const entry = { at: clock.now(), event: 'policy.error', subject, actor: 'countersign' };
      await store.audit.append([{ ...entry, detail }]);
      return answer;
    } catch (error) {
      log.error({ err: error, call: subject }, 'Could not audit the failed condition.');
      if (answer.kind !== 'run') return answer;
      return toGateAnswer({ ...evaluation, ruling: rules.fallback.ruling }, hash);
    }
  }

  return async (facts) => {
    const loaded = policy();
    const evaluation = await evaluatePolicy(loaded.policy, facts, lookupsFor(facts));
    const answer =
      evaluation.failure === undefined
        ? toGateAnswer(evaluation, loaded.hash)
        : await answerFailed(evaluation, facts, loaded);
    const redact = redactedPathsOf(loaded.policy, facts.tool);
    return redact.length === 0 ? answer : { ...answer, redact };
  };
}
