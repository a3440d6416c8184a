import { createHash } from 'node:crypto';
import type { Call } from './call.ts';
import { canonicalJson, type JsonValue } from './json.ts';

type Bound = Pick<
  Call,
  'id' | 'attempt' | 'tool' | 'schemaHash' | 'args' | 'basis' | 'requester' | 'thread'
>;

/** Hashes all of a call that changes its effect: hexadecimal SHA-256 over the canonical JSON of those parts. */
export function digestOf(call: Bound): string {
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

/** What a button or a modal carries: enough to find the attempt that was shown, nothing else. */
export interface CardToken {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
}

/** Writes the token of the attempt that a card shows. */
export function encodeCardToken(call: Pick<Call, 'id' | 'attempt' | 'digest'>): string {
  return `${call.id}.${call.attempt}.${shortDigest(call.digest)}`;
}

const TOKEN = /^(call_[A-Za-z0-9_-]{16,64})\.([1-9][0-9]{0,5})\.([0-9a-f]{10})$/;

/** Reads a token; undefined for anything that `encodeCardToken` did not write. */
export function parseCardToken(text: string): CardToken | undefined {
  const found = TOKEN.exec(text);
  if (!found) return undefined;
  const [, callId = '', attempt, digest = ''] = found;
  return { callId, attempt: Number(attempt), digest };
}
