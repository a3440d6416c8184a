/**
 * Priority of work: what people have just touched goes before the backlog of a restart, a pause or
 * a night.
 */

import type { Call } from '../../domain/calls/call.ts';
import { PRIORITY_LEAD_MS } from '../../domain/ports/agenda.ts';

/** How long after an action a person is assumed to watch for its result. */
const FRESH_MS = 60_000;

/** True if a person has just asked for the call or decided on it. */
export function isRecentCall(call: Call, now: number): boolean {
  const { askedAt = call.createdAt, verdict, votes } = call;
  return isRecent(Math.max(askedAt, verdict?.at ?? 0, ...votes.map(({ at }) => at)), now);
}

/** When work is due: now. Work that somebody waits for goes before the backlog. */
export function dueImmediately(isAwaited: boolean, now: number): number {
  return isAwaited ? now - PRIORITY_LEAD_MS : now;
}

/** True if the action is recent enough that its author is probably waiting for the result. */
export function isRecent(at: number, now: number): boolean {
  return now - at < FRESH_MS;
}
