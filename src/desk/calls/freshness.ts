/** Who waits for what: what people have just touched goes before what has piled up over a restart, a pause or a night. */

import type { Call } from '../../domain/calls/call.ts';
import { PRIORITY_LEAD_MS } from '../../domain/ports/agenda.ts';

/** So long after somebody has done something they are thought to look at what comes of it. */
const FRESH_MS = 60_000;

/** Tells whether a person has just asked for a call, or decided on it. */
export function isRecentCall(call: Call, now: number): boolean {
  const { askedAt = call.createdAt, verdict, votes } = call;
  return isRecent(Math.max(askedAt, verdict?.at ?? 0, ...votes.map(({ at }) => at)), now);
}

/** When work is due: at once, and before what has piled up where somebody waits for it. */
export function dueImmediately(isAwaited: boolean, now: number): number {
  return isAwaited ? now - PRIORITY_LEAD_MS : now;
}

/** Tells whether what a person did is so new that they look at what comes of it. */
export function isRecent(at: number, now: number): boolean {
  return now - at < FRESH_MS;
}
