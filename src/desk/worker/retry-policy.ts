/** When work is given up: it stands still then, visibly, until somebody wakes it. */

import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import type { Lease } from '../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError } from '../../domain/ports/chat.ts';

/** About two hours of trying: longer than most outages, shorter than a night. */
const MAX_TRIES = 30;
/** So often in a row the process may die over work by chance: it is stopped or moved at a bad moment. */
const MAX_DEATHS = 10;

/** A damaged record is looked at so often: it does not mend itself. */
const MAX_LOOKS = 3;

/** There is no use in trying again. */
export class PermanentError extends Error {
  override readonly name = 'HopelessError';
}

/** What passes by itself is waited for, however long it takes. */
const OUTAGES: ReadonlySet<ChatError['code']> = new Set(['temporary', 'rate-limited']);

/** Tells whether work that failed is to be parked. */
export function isPermanentFailure({ tries }: Lease, error: unknown): boolean {
  if (error instanceof PermanentError) return true;
  if (error instanceof DamagedRecordError) return tries + 1 >= MAX_LOOKS;
  if (error instanceof BlockedUntilFixedError) return false;
  if (error instanceof ChatError && OUTAGES.has(error.code)) return false;
  return tries + 1 >= MAX_TRIES;
}

/** Throws for work that seems to end its process each time: begun once more, it would go on doing so for ever, and take all others along. */
export function assertNotCrashing({ deaths }: Lease): void {
  if (deaths < MAX_DEATHS) return;
  throw new PermanentError(`The process that worked on this has died ${deaths} times in a row.`);
}
