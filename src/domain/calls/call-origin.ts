/** Calls whose tool is not ours: a program, a graph or a server asks, and what is approved runs with it. */
import type { JsonValue } from '../json/json.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import type { DecisionKind, GateAnswer, Route } from '../policy/route.ts';

/** Who makes a call from outside, and what it says of the call: all of it claims, but for the key and the host. */
export interface CallOrigin {
  /** A program with a key (HTTP, MCP), a graph that runs its own tools, or an MCP server that asks people something. */
  readonly by: 'key' | 'graph' | 'server';
  /** For people: the key's, the graph's or the server's. */
  readonly name: string;
  /** Id of the program's key. */
  readonly key?: string;
  /** Where the request came from: an address. */
  readonly host?: string;
  /** It came through a proxy that nobody here vouches for, so its address says nothing. */
  readonly isProxied?: true;
  /** The person to whom the key belongs; what they approve counts as approved by the requester. */
  readonly owner?: Person;
  /** JSON Schema of the arguments. (Default: any object.) */
  readonly schema?: { readonly [key: string]: JsonValue };
  /** The only decisions that it understands. (Default: all.) */
  readonly decisions?: readonly DecisionKind[];
  /** How long (ms) it waits for people, where that is less than the route's deadline. */
  readonly deadlineMs?: number;
  /** What it says that the call does: unverified words. */
  readonly summary?: string;
  /** Answers to choose from, where it asks a question. */
  readonly choices?: readonly string[];
  /** Where it wants to be told of each change. */
  readonly callbackUrl?: string;
  /** Its own notes; shown to nobody and given back as they are. */
  readonly metadata?: JsonValue;
  /** It does not tell, or has not told, what came of the call: taking it is the end. */
  readonly isSilent?: true;
  /** SHA-256 of the request, so that the same key of idempotency can't mean another one. */
  readonly request?: string;
}

/** A call, as far as it matters here. */
interface PerhapsOutside {
  readonly outside?: CallOrigin;
}

/** Tells whether a call is taken by the program that made it, or answers a question, and is run by no worker of ours. */
export function isConsumedByCaller(call: PerhapsOutside): boolean {
  return call.outside?.by === 'key' || isServerQuestion(call);
}

/** Tells whether a call is what an MCP server asks people while a tool of its runs: an edit is the answer, and nothing runs with it. */
export function isServerQuestion({ outside }: PerhapsOutside): boolean {
  return outside?.by === 'server';
}

/** Tells whether a call is handed to the graph that made it, which runs its own tool: its claim is the handing over. */
export function isRunByGraph(call: PerhapsOutside): boolean {
  return call.outside?.by === 'graph';
}

/** Tells whether a call asks for words and nothing else: it can't be approved, only answered. */
export function isAnswerOnly({ outside }: PerhapsOutside): boolean {
  const decisions = outside?.decisions;
  if (!decisions) return false;
  return (
    decisions.includes('reply') && !decisions.includes('approve') && !decisions.includes('edit')
  );
}

/** Tells whether an agent of ours would make an expired call again if its requester asked for it. */
export function canAskAgain({ outside }: PerhapsOutside): boolean {
  return outside === undefined || outside.by === 'graph';
}

/** The most answers that a question may offer, and the most characters of one. */
export const CHOICE_LIMITS = { most: 20, length: 200 } as const;

/** Says why answers can't be offered; undefined when they can. */
export function choicesProblem(choices: readonly string[]): string | undefined {
  if (choices.length === 0 || choices.length > CHOICE_LIMITS.most) {
    return `has to offer 1 to ${CHOICE_LIMITS.most} answers; it offers ${choices.length}`;
  }
  const bad = choices.findIndex(
    (choice) =>
      choice.trim() === '' || choice.length > CHOICE_LIMITS.length || /[\r\n]/.test(choice),
  );
  if (bad !== -1) {
    return `has to hold lines of 1 to ${CHOICE_LIMITS.length} characters; answer ${bad + 1} is none`;
  }
  return new Set(choices).size === choices.length ? undefined : 'offers an answer twice';
}

/** Says why a program can't understand just these decisions; undefined when it can. */
export function decisionsProblem(
  decisions: readonly DecisionKind[],
  choices?: readonly string[],
): string | undefined {
  const twice = decisions.find((each, i) => decisions.indexOf(each) !== i);
  if (twice !== undefined) return `names “${twice}” twice`;
  if (decisions.every((each) => each === 'edit')) {
    return 'has to name another decision beside “edit”, so that people need not change anything';
  }
  if (choices === undefined || decisions.includes('reply')) return undefined;
  return 'has to name “reply” where choices are offered: they are its answers';
}

/** Says that whoever makes a call does not take a decision, whoever makes it; undefined when they do. */
export function explainUnsupportedDecision(
  call: PerhapsOutside,
  decision: DecisionKind,
): string | undefined {
  const { by, decisions } = call.outside ?? {};
  if (!by || !decisions || decisions.includes(decision)) return undefined;
  const takes = isAnswerOnly(call) ? 'only an answer (a reply)' : `only ${decisions.join(', ')}`;
  return `${CALLERS[by]} that asks this takes ${takes}, so “${decision}” is not possible.`;
}

const CALLERS: Readonly<Record<CallOrigin['by'], string>> = {
  key: 'The program',
  graph: 'The graph',
  server: 'The MCP server',
};

/** Who counts as the requester before a person: the owner of the key that asked is one too, whomever it names. */
export function effectiveRequester(
  { requester, outside }: PerhapsOutside & { readonly requester: Person },
  person: Person,
): Person {
  const owner = outside?.owner;
  return owner && isSamePerson(owner, person) ? owner : requester;
}

/** Keeps an answer of the gate to what the caller understands, and to how long it waits, also where a call goes on to other people. */
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
