import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import type { Call } from './call.ts';

type Bound = Pick<
  Call,
  'id' | 'attempt' | 'tool' | 'schemaHash' | 'args' | 'basis' | 'requester' | 'thread'
>;

/** Hashes every part of a call that affects what runs: hex SHA-256 of their canonical JSON. */
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

/** Hashes a JSON value: hex SHA-256 of its canonical text. */
export function hashJson(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Shortens a digest to the part that people and buttons carry. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 10);
}

/** The value of a button or modal: identifies the attempt shown and detects a changed route. */
export interface CardToken {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  /** Digest of the route and risk shown; empty in tokens of earlier versions. */
  readonly card: string;
}

/** Hashes what a card shows besides the action: route and risk. */
export function cardDigest({ risk = null, route = null }: Shown): string {
  // A round trip through JSON drops undefined fields, as the store does.
  const shown = JSON.parse(JSON.stringify({ risk, route })) as JsonValue;
  return shortDigest(hashJson(shown));
}

type Shown = { readonly [Key in 'risk' | 'route']?: Call[Key] | null };

/** Encodes the token of the attempt that a card shows. */
export function encodeCardToken(call: Pick<Call, 'id' | 'attempt' | 'digest'> & Shown): string {
  return `${call.id}.${call.attempt}.${shortDigest(call.digest)}.${cardDigest(call)}`;
}

const TOKEN =
  /^(call_[A-Za-z0-9_-]{16,64})\.([1-9][0-9]{0,5})\.([0-9a-f]{10})(?:\.([0-9a-f]{10}))?$/;

/** Decodes a token of this or an earlier version; undefined for anything else. */
export function parseCardToken(text: string): CardToken | undefined {
  const found = TOKEN.exec(text);
  if (!found) return undefined;
  const [, callId = '', attempt, digest = '', card = ''] = found;
  return { callId, attempt: Number(attempt), digest, card };
}

/** Returns whether a card showed another attempt or other arguments. */
export function isStaleToken(call: Call, shown: Pick<CardToken, 'attempt' | 'digest'>): boolean {
  return shown.attempt !== call.attempt || shown.digest !== shortDigest(call.digest);
}

/**
 * Returns whether a card showed another route. Tokens of earlier versions count as other once the
 * route has changed.
 */
export function hasOtherRoute(call: Call, { card }: { readonly card?: string }): boolean {
  if (card === undefined) return false;
  return card === '' ? call.reroutedAt !== undefined : card !== cardDigest(call);
}

/** Encodes the tokens of all attempts on a card. */
export function encodeCardTokens(calls: readonly Call[]): string {
  return calls.map((call) => encodeCardToken(call)).join(' ');
}

/** Decodes several tokens of different calls; undefined for anything else. */
export function parseCardTokens(text: string): readonly [CardToken, ...CardToken[]] | undefined {
  const tokens = text.split(' ').map(parseCardToken);
  const [first, ...more] = tokens.filter((token) => token !== undefined);
  const isWhole = more.length + 1 === tokens.length;
  const isOnce = new Set(tokens.map((token) => token?.callId)).size === tokens.length;
  return first && isWhole && isOnce ? [first, ...more] : undefined;
}
