/**
 * Calls from external callers: a program, a graph or an MCP server makes the call and runs the
 * result.
 */
import type { JsonValue } from '../json/json.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import type { DecisionKind, GateAnswer, Route } from '../policy/route.ts';

/**
 * Who made an external call, and what it says about the call. Only the key and the host are
 * verified.
 */
export interface CallOrigin {
  /**
   * A program with a key (HTTP, MCP), a graph that runs its own tools, or an MCP server that asks a
   * question.
   */
  readonly by: 'key' | 'graph' | 'server';
  /** Display name of the key, graph or server. */
  readonly name: string;
  /** Id of the program's key. */
  readonly key?: string;
  /** Source address of the request. */
  readonly host?: string;
  /** The request came through an untrusted proxy, so its source address proves nothing. */
  readonly isProxied?: true;
  /** Owner of the key. Their approval counts as the requester's own. */
  readonly owner?: Person;
  /** JSON Schema of the arguments. (Default: any object.) */
  readonly schema?: { readonly [key: string]: JsonValue };
  /** The decisions that the caller accepts. (Default: all.) */
  readonly decisions?: readonly DecisionKind[];
  /** How long (ms) the caller waits for people, if less than the route's deadline. */
  readonly deadlineMs?: number;
  /** What the caller says the call does. Unverified. */
  readonly summary?: string;
  /** The answers offered, if the call asks a question. */
  readonly choices?: readonly string[];
  /** URL to notify of each change. */
  readonly callbackUrl?: string;
  /** The caller's own notes: returned unchanged, shown to nobody. */
  readonly metadata?: JsonValue;
  /** The caller does not report a result, or has not yet: taking the call ends it. */
  readonly isSilent?: true;
  /** SHA-256 of the request: rejects an idempotency key that is reused for another request. */
  readonly request?: string;
}

/** The part of a call that says who made it. */
interface CallSource {
  readonly outside?: CallOrigin;
}

/**
 * Returns whether the caller takes the call, or the call is a question: no worker of ours runs it.
 */
export function isConsumedByCaller(call: CallSource): boolean {
  return call.outside?.by === 'key' || isServerQuestion(call);
}

/**
 * Returns whether an MCP server asks people a question during a tool run. An edit is the answer;
 * nothing runs.
 */
export function isServerQuestion({ outside }: CallSource): boolean {
  return outside?.by === 'server';
}

/**
 * Returns whether the graph that made the call runs it. Claiming the call hands it to the graph.
 */
export function isRunByGraph(call: CallSource): boolean {
  return call.outside?.by === 'graph';
}

/** Returns whether the call only asks for text: it can be answered, but not approved. */
export function isAnswerOnly({ outside }: CallSource): boolean {
  const decisions = outside?.decisions;
  if (!decisions) return false;
  return (
    decisions.includes('reply') && !decisions.includes('approve') && !decisions.includes('edit')
  );
}

/** Returns whether our agent would repeat an expired call if the requester asked for it. */
export function canAskAgain({ outside }: CallSource): boolean {
  return outside === undefined || outside.by === 'graph';
}

/** The most answers that a question may offer, and the most characters per answer. */
export const CHOICE_LIMITS = { most: 20, length: 200 } as const;

/** Explains why these answers can't be offered; undefined if they can. */
export function choicesProblem(choices: readonly string[]): string | undefined {
  if (choices.length === 0 || choices.length > CHOICE_LIMITS.most) {
    return `must offer 1 to ${CHOICE_LIMITS.most} answers; it offers ${choices.length}`;
  }
  const bad = choices.findIndex(
    (choice) =>
      choice.trim() === '' || choice.length > CHOICE_LIMITS.length || /[\r\n]/.test(choice),
  );
  if (bad !== -1) {
    return `must be lines of 1 to ${CHOICE_LIMITS.length} characters; answer ${bad + 1} is not`;
  }
  return new Set(choices).size === choices.length ? undefined : 'offers the same answer twice';
}

/** Explains why a caller can't restrict decisions to this list; undefined if it can. */
export function decisionsProblem(
  decisions: readonly DecisionKind[],
  choices?: readonly string[],
): string | undefined {
  const twice = decisions.find((each, i) => decisions.indexOf(each) !== i);
  if (twice !== undefined) return `names “${twice}” twice`;
  if (decisions.every((each) => each === 'edit')) {
    return 'must include another decision than “edit”, because people may not want to change anything';
  }
  if (choices === undefined || decisions.includes('reply')) return undefined;
  return 'must include “reply” if there are choices, because a choice is sent as a reply';
}

/** Explains that the caller does not accept a decision; undefined if it does. */
export function explainUnsupportedDecision(
  call: CallSource,
  decision: DecisionKind,
): string | undefined {
  const { by, decisions } = call.outside ?? {};
  if (!by || !decisions || decisions.includes(decision)) return undefined;
  const accepted = isAnswerOnly(call) ? 'only an answer (a reply)' : `only ${decisions.join(', ')}`;
  return `${CALLERS[by]} that made this call accepts ${accepted}, so “${decision}” is not possible.`;
}

const CALLERS: Readonly<Record<CallOrigin['by'], string>> = {
  key: 'The program',
  graph: 'The graph',
  server: 'The MCP server',
};

/** Returns whom to treat as the requester when `person` acts: the key's owner counts as one too. */
export function effectiveRequester(
  { requester, outside }: CallSource & { readonly requester: Person },
  person: Person,
): Person {
  const owner = outside?.owner;
  return owner && isSamePerson(owner, person) ? owner : requester;
}

/** Limits a gate's answer, escalation included, to the caller's decisions and waiting time. */
export function limitGateAnswer(answer: GateAnswer, outside: CallOrigin | undefined): GateAnswer {
  if (answer.kind !== 'ask' || !outside) return answer;
  const { decisions, deadlineMs } = outside;
  return { ...answer, route: narrowRoute(answer.route, decisions, deadlineMs) };
}

function narrowRoute(
  route: Route,
  decisions: CallOrigin['decisions'],
  waitsMs = Number.POSITIVE_INFINITY,
): Route {
  const { escalate } = route;
  return {
    ...route,
    decisions: decisions
      ? route.decisions.filter((each) => decisions.includes(each))
      : route.decisions,
    deadlineMs: Math.min(route.deadlineMs, waitsMs),
    ...(escalate && {
      escalate: {
        ...escalate,
        to: narrowRoute(escalate.to, decisions, Math.max(1, waitsMs - escalate.afterMs)),
      },
    }),
  };
}
