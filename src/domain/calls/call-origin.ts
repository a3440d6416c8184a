/** Who made a call, and what depends on it. */
import type { JsonValue } from '../json/json.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import type { DecisionKind, GateAnswer, Route } from '../policy/route.ts';
import type { ToolCaller } from '../tools/tool.ts';

/**
 * Who made an external call, and what it says about the call. Only the key and the host are
 * verified.
 */
export interface CallOrigin extends ToolCaller {
  /** Id of the program's key. */
  readonly key?: string;
  /** Source address of the request. */
  readonly host?: string;
  /** The request came through an untrusted proxy, so its source address proves nothing. */
  readonly isProxied?: true;
  /** Owner of the key. Their approval counts as the requester's own. */
  readonly owner?: Person;
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

/** Who made a call and what for. Not stored: it follows from the call. */
type Origin =
  | 'agent'
  | 'graph'
  | 'graph-question'
  | 'program'
  | 'program-question'
  | 'server-question';

/** What depends on who made a call. */
interface CallBehaviour {
  /** `caller`: it takes the approval or answer, so our workers run nothing. */
  readonly runBy: 'worker' | 'graph' | 'caller';
  /** Who reads people's answers and goes on after the end. */
  readonly reportsTo: 'thread' | 'caller';
  /** What people give: their approval, a text, or the values of a form. */
  readonly asksFor: 'approval' | 'text' | 'form';
  /** The decision that moves the call forward. */
  readonly mainDecision: DecisionKind;
  /** It may share a card with the other calls of its message. */
  readonly mayShareCard: boolean;
  /** Our agent would repeat it, once expired, if the requester asked for it. */
  readonly canAskAgain: boolean;
  /** Whether the policy has rules for it. */
  readonly isUnderPolicy: boolean;
  /** `run`: it belongs to the run of another call, not to a message of the agent. */
  readonly partOf: 'message' | 'run';
}

const AGENT: CallBehaviour = {
  runBy: 'worker',
  reportsTo: 'thread',
  asksFor: 'approval',
  mainDecision: 'approve',
  mayShareCard: true,
  canAskAgain: true,
  isUnderPolicy: true,
  partOf: 'message',
};
const GRAPH: CallBehaviour = { ...AGENT, runBy: 'graph' };
const PROGRAM: CallBehaviour = {
  ...AGENT,
  runBy: 'caller',
  reportsTo: 'caller',
  mayShareCard: false,
  canAskAgain: false,
};
const QUESTION = { asksFor: 'text', mainDecision: 'reply', mayShareCard: false } as const;

/** Add an origin here, and its name in `originOf`. */
const BEHAVIOURS: Readonly<Record<Origin, CallBehaviour>> = {
  agent: AGENT,
  graph: GRAPH,
  'graph-question': { ...GRAPH, ...QUESTION },
  program: PROGRAM,
  'program-question': { ...PROGRAM, ...QUESTION },
  'server-question': {
    ...PROGRAM,
    asksFor: 'form',
    mainDecision: 'edit',
    isUnderPolicy: false,
    partOf: 'run',
  },
};

/** The part of a call that says who made it. */
interface CallSource {
  readonly outside?: CallOrigin;
}

/** Returns who made a call. A question is a call that can be answered but not approved. */
export function originOf({ outside }: CallSource): Origin {
  if (!outside) return 'agent';
  if (outside.by === 'server') return 'server-question';
  const caller = outside.by === 'key' ? 'program' : 'graph';
  return takesOnlyText(outside) ? `${caller}-question` : caller;
}

function takesOnlyText({ decisions }: CallOrigin): boolean {
  if (!decisions?.includes('reply')) return false;
  return !decisions.includes('approve') && !decisions.includes('edit');
}

/** Returns how a call is handled, which depends on who made it. */
export function behaviourOf(call: CallSource): CallBehaviour {
  return BEHAVIOURS[originOf(call)];
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
  const accepted =
    behaviourOf(call).asksFor === 'text'
      ? 'only an answer (a reply)'
      : `only ${decisions.join(', ')}`;
  return `The ${CALLERS[by]} that made this call accepts ${accepted}, so “${decision}” is not possible.`;
}

/** Names the kinds of callers, for people. */
export const CALLERS: Readonly<Record<CallOrigin['by'], string>> = {
  key: 'program',
  graph: 'graph',
  server: 'MCP server',
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
