import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import type { Call } from './call.ts';

type Bound = Pick<
  Call,
  'id' | 'attempt' | 'tool' | 'schemaHash' | 'args' | 'basis' | 'requester' | 'thread'
>;

/** Hashes all of a call that changes its effect: hexadecimal SHA-256 over the canonical JSON of those parts. */
export function callDigestOf(call: Bound): string {
  const bound = canonicalJson({
    v: 1,
    call: call.id,
    attempt: call.attempt,
    tool: call.tool,
    schema: call.schemaHash,
    args: call.args,
    ...(call.basis !== undefined && { basis: call.basis }),
    requester: { team: call.requester.team, user: call.requester.user },
    thread: call.thread,
  });
  return createHash('sha256').update(`countersign-call-1\0${bound}`).digest('hex');
}

/** Hashes a value of JSON: hexadecimal SHA-256 of its canonical text. */
export function hashJson(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The part of a digest that people and buttons carry. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 10);
}

/** What a button or a modal carries: enough to find the attempt that was shown, and to tell whether its route has changed since. */
export interface CardToken {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  /** Of the route and the risk that were shown; empty in a token of an earlier version. */
  readonly card: string;
}

/** Hashes what a person saw of a call besides what would run: its route and its risk. */
export function cardDigest({ risk = null, route = null }: Shown): string {
  // As it is stored: what is undefined is absent.
  const shown = JSON.parse(JSON.stringify({ risk, route })) as JsonValue;
  return shortDigest(hashJson(shown));
}

type Shown = { readonly [Key in 'risk' | 'route']?: Call[Key] | null };

/** Writes the token of the attempt that a card shows. */
export function encodeCardToken(call: Pick<Call, 'id' | 'attempt' | 'digest'> & Shown): string {
  return `${call.id}.${call.attempt}.${shortDigest(call.digest)}.${cardDigest(call)}`;
}

const TOKEN =
  /^(call_[A-Za-z0-9_-]{16,64})\.([1-9][0-9]{0,5})\.([0-9a-f]{10})(?:\.([0-9a-f]{10}))?$/;

/** Reads a token; undefined for anything that `encodeCardToken` did not write, now or in an earlier version. */
export function parseCardToken(text: string): CardToken | undefined {
  const found = TOKEN.exec(text);
  if (!found) return undefined;
  const [, callId = '', attempt, digest = '', card = ''] = found;
  return { callId, attempt: Number(attempt), digest, card };
}

/** Tells whether a card showed another attempt, or other arguments. */
export function isStaleToken(call: Call, shown: Pick<CardToken, 'attempt' | 'digest'>): boolean {
  return shown.attempt !== call.attempt || shown.digest !== shortDigest(call.digest);
}

/** Tells whether a card showed another route; one that was drawn by an earlier version, before the call's route changed, did. */
export function hasOtherRoute(call: Call, { card }: { readonly card?: string }): boolean {
  if (card === undefined) return false;
  return card === '' ? call.reroutedAt !== undefined : card !== cardDigest(call);
}

/** Writes the tokens of several attempts that a card shows. */
export function encodeCardTokens(calls: readonly Call[]): string {
  return calls.map((call) => encodeCardToken(call)).join(' ');
}

/** Reads several tokens of different calls; undefined for anything else. */
export function parseCardTokens(text: string): readonly [CardToken, ...CardToken[]] | undefined {
  const tokens = text.split(' ').map(parseCardToken);
  const [first, ...more] = tokens.filter((token) => token !== undefined);
  const isWhole = more.length + 1 === tokens.length;
  const isOnce = new Set(tokens.map((token) => token?.callId)).size === tokens.length;
  return first && isWhole && isOnce ? [first, ...more] : undefined;
}
