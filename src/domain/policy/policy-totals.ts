import type { JsonValue } from '../json/json.ts';
import type { GateFacts } from './route.ts';

/** Statuses of calls that were let through, or that may have taken effect. */
const LET_THROUGH: ReadonlySet<string> = new Set(['approved', 'running', 'unknown', 'succeeded']);

/** What the totals need to know of an earlier call. */
interface EarlierCall {
  readonly id: string;
  readonly status: string;
  readonly createdAt: number;
  readonly position: number;
  readonly claim?: { readonly at: number };
}

/**
 * Returns which of a requester's calls count against a new one, in the given order. A pending call
 * counts only if it came first; otherwise two calls would block each other. Calls that were claimed
 * later do not count.
 */
export function countedCalls<Earlier extends EarlierCall>(
  calls: readonly Earlier[],
  self: GateFacts['call'],
  since: number,
): readonly Earlier[] {
  return calls
    .filter((call) => call.id !== self?.id && call.createdAt > since)
    .filter((call) =>
      LET_THROUGH.has(call.status)
        ? !beganAfter(call, self)
        : call.status === 'pending' && precedes(call, self),
    );
}

function beganAfter({ claim }: EarlierCall, self: GateFacts['call']): boolean {
  if (self?.claimedAt === undefined) return false;
  return claim === undefined || claim.at > self.claimedAt;
}

function precedes(call: EarlierCall, self: GateFacts['call']): boolean {
  if (!self) return true;
  const order =
    call.createdAt - self.createdAt ||
    call.position - self.position ||
    (call.id < self.id ? -1 : 1);
  return order < 0;
}

/**
 * Sums a field (`amount`, `order.amount`) over the call's arguments and the earlier ones. Throws a
 * message for people if it is missing, not a number or negative.
 */
export function sumField(field: string, own: JsonValue, earlier: readonly JsonValue[]): number {
  let sum = read(field, own, 'this call');
  for (const args of earlier) sum += read(field, args, 'an earlier call');
  return sum;
}

function read(field: string, args: JsonValue, whose: string): number {
  let value: JsonValue | undefined = args;
  for (const key of field.split('.')) value = valueAt(value, key);
  if (value === undefined) throw new Error(`“${field}” is missing in ${whose}.`);
  if (typeof value !== 'number') throw new Error(`“${field}” is not a number in ${whose}.`);
  // A negative value would make room for others.
  if (value < 0) throw new Error(`“${field}” is negative in ${whose}.`);
  return value;
}

function valueAt(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as { readonly [key: string]: JsonValue };
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
