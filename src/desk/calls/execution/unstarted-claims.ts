/**
 * Remembers which claims of this process have not started their tool. Such a call has certainly not
 * run, so after a failed read or a lost hold it may still start.
 */
import type { Call } from '../../../domain/calls/call.ts';

/** Claims that were never committed are not removed. A forgotten claim ends as unknown, never as a second run. */
const MAX_REMEMBERED = 10_000;

export interface UnstartedClaims {
  /** Must be called before the claim is committed: the answer to the commit may be lost. */
  add(claimed: Call): void;
  /** Must be called right before the tool starts. */
  start(claimed: Call): void;
  has(call: Call): boolean;
}

/** Creates the memory of one process. */
export function createUnstartedClaims(): UnstartedClaims {
  const claims = new Map<string, string>();
  return {
    add(claimed) {
      claims.set(claimed.id, claimOf(claimed));
      const [oldest] = claims.keys();
      if (oldest !== undefined && claims.size > MAX_REMEMBERED) claims.delete(oldest);
    },
    start: ({ id }) => claims.delete(id),
    has: (call) => call.claim !== undefined && claims.get(call.id) === claimOf(call),
  };
}

function claimOf({ attempt, claim }: Call): string {
  return `${attempt} ${claim?.fence}`;
}
