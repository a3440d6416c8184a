/** A call as programs and people's front ends read it: to them it is called an approval. */
import type { Call, CallStatus } from './call.ts';
import { type JsonValue, readStoredJson } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { Outside } from './outside.ts';
import type { DecisionKind, Risk } from './route.ts';
import type { SecretMark } from './secret-mark.ts';
import { isSecretPath } from './secret-paths.ts';
import { plainSentence } from './sentence.ts';
import { isChannelItself, placeOf } from './thread-key.ts';

/** A call in JSON; what there is none of is null, and times are ISO 8601. */
export interface Approval {
  readonly id: string;
  readonly status: Exclude<CallStatus, 'proposed'>;
  /** Grows with each change. */
  readonly revision: number;
  readonly toolName: string;
  readonly arguments: JsonValue;
  /** SHA-256 of what people see, in hexadecimal digits. */
  readonly digest: string;
  /** From 1; an edit makes the next one. */
  readonly attempt: number;
  readonly edited: boolean;
  readonly requestedAt: string;
  /** Until when it waits to be decided, and then to be taken. */
  readonly decideBy: string | null;
  /** Id of the person. */
  readonly requester: string;
  readonly channel: string;
  readonly thread: { readonly channel: string; readonly ts: string } | null;
  readonly userMessage: string | null;
  readonly description: string | null;
  readonly risk: Risk;
  readonly decisions: readonly DecisionKind[];
  readonly choices: readonly string[] | null;
  readonly approvedBy: readonly string[];
  readonly decidedBy: string | null;
  /** What a person answered instead of approving. */
  readonly reply: string | null;
  /** Why it was refused, is pending again, or can't be known. */
  readonly reason: string | null;
  readonly outcome: { readonly kind: Outcome['kind']; readonly text?: string } | null;
  readonly metadata: JsonValue;
  readonly source: { readonly kind: 'agent' | Outside['by']; readonly name: string | null };
}

/** Makes the approval of a call; with `masks`, for others than who made it, its secrets are marks. */
export function toApproval(call: Call, { masks }: { readonly masks?: SecretMark } = {}): Approval {
  const { outcome, status, thread } = call;
  const place = placeOf(thread);
  const { channel, root } = place;
  const hide = createHide(call, masks);
  return {
    id: call.id,
    status: status === 'proposed' ? 'pending' : status,
    revision: call.revision,
    toolName: call.tool,
    arguments: hide.args(readStoredJson(call.args)),
    digest: call.digest,
    attempt: call.attempt,
    edited: call.editedBy !== undefined,
    requestedAt: toTime(call.askedAt ?? call.createdAt),
    decideBy: isAwaited(call) && call.deadlineAt !== undefined ? toTime(call.deadlineAt) : null,
    requester: call.requester.user,
    channel,
    thread: isChannelItself(place) ? null : { channel, ts: root },
    userMessage: textOrNull(call.askedLine),
    description: hideMaybe(textOrNull(call.words), hide.text),
    risk: call.risk,
    ...whatPeopleDo(call),
    reply: outcome?.kind === 'reply' ? outcome.text : null,
    reason: hideMaybe(reasonOf(call), hide.text),
    outcome: outcome ? toPlainOutcome(outcome, hide.text) : null,
    ...whoseItIs(call),
  };
}

function whatPeopleDo({ outside, route, verdict, votes }: Call) {
  return {
    decisions: route?.decisions ?? [],
    choices: outside?.choices ?? null,
    approvedBy: votes.map(({ by }) => by.user),
    decidedBy: verdict?.by.user ?? null,
  };
}

function whoseItIs({ agent, outside }: Call): Pick<Approval, 'metadata' | 'source'> {
  const source = { kind: outside?.by ?? 'agent', name: outside?.name ?? agent ?? null } as const;
  return { metadata: outside?.metadata ?? null, source };
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

function isAwaited({ status }: Call): boolean {
  return status === 'proposed' || status === 'pending' || status === 'approved';
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}

function reasonOf({ note, outcome }: Call): string | null {
  if (outcome?.kind === 'refused' || outcome?.kind === 'unknown') return outcome.reason;
  return note === undefined ? null : plainSentence(note);
}

function toPlainOutcome(outcome: Outcome, hide: (text: string) => string): Approval['outcome'] {
  const { kind } = outcome;
  const text = textOf(outcome);
  return text === undefined ? { kind } : { kind, text: hide(text) };
}

function textOf(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case 'result':
    case 'error':
    case 'reply':
      return outcome.text;
    case 'refused':
    case 'unknown':
      return outcome.reason;
    case 'withdrawn':
      return outcome.cause;
    default:
      return undefined;
  }
}

function hideMaybe(text: string | null, hide: (text: string) => string): string | null {
  return text === null ? null : hide(text);
}

/** Shorter ones can't be searched for without tearing words apart. */
const MIN_SECRET = 4;

/** What masks the secrets of a call in its arguments, and wherever its texts repeat them. */
function createHide({ args, secrets = [] }: Call, mark: SecretMark | undefined) {
  if (!mark || secrets.length === 0) {
    return { args: (value: JsonValue) => value, text: (text: string) => text };
  }
  const say = (text: string) => `⟨secret, mark ${mark(text)}⟩`;
  const found = new Set<string>();
  const mask = (value: JsonValue, path: readonly (string | number)[]): JsonValue => {
    if (path.length > 0 && isSecretPath(path, secrets) && !isBox(value)) {
      const text = String(value);
      if (text.length >= MIN_SECRET) found.add(text);
      return say(text);
    }
    if (Array.isArray(value)) return value.map((each, i) => mask(each, [...path, i]));
    if (!isBox(value)) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, mask(each, [...path, key])]);
    return Object.fromEntries(entries);
  };
  mask(readStoredJson(args), []);
  const longestFirst = [...found].sort((a, b) => b.length - a.length);
  const hideIn = (text: string) =>
    longestFirst.reduce((rest, secret) => rest.replaceAll(secret, () => say(secret)), text);
  return {
    args: (value: JsonValue) => inTexts(mask(value, []), hideIn),
    text: hideIn,
  };
}

function isBox(value: JsonValue): value is JsonValue[] | { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}

function inTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each: JsonValue) => inTexts(each, change));
  if (!isBox(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, inTexts(each, change)]),
  );
}
