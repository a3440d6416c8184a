/** When a task is given up: it becomes a dead letter until somebody wakes it. */

import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import type { Lease } from '../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError } from '../../domain/ports/chat.ts';

/** About two hours of tries: longer than most outages, shorter than a night. */
const MAX_TRIES = 30;
/** How often in a row a process may die during a task by coincidence, for example in restarts. */
const MAX_DEATHS = 10;

/** Fewer tries for a damaged record, because it does not repair itself. */
const MAX_DAMAGED_TRIES = 3;

/** Retrying is useless. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** Temporary errors are retried without limit. */
const OUTAGES: ReadonlySet<ChatError['code']> = new Set(['temporary', 'rate-limited']);

/** True if a failed task must become a dead letter. */
export function isPermanentFailure({ tries }: Lease, error: unknown): boolean {
  if (error instanceof PermanentError) return true;
  if (error instanceof DamagedRecordError) return tries + 1 >= MAX_DAMAGED_TRIES;
  if (error instanceof BlockedUntilFixedError) return false;
  if (error instanceof ChatError && OUTAGES.has(error.code)) return false;
  return tries + 1 >= MAX_TRIES;
}

/**
 * Throws for a task that seems to crash its process each time, so that it cannot hold up all
 * others.
 */
export function assertNotCrashing({ deaths }: Lease): void {
  if (deaths < MAX_DEATHS) return;
  throw new PermanentError(`The process that worked on this has died ${deaths} times in a row.`);
}
