import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';

/** Records rejected HTTP requests. Slack reports them to nobody, so the operator is warned here. */
export interface RejectedRequests {
  /** Notes a signature that does not match our secret. */
  noteSignature(): void;
  /** Notes a timestamp that is `ms` away from our clock; positive if our clock is ahead. */
  noteSkew(ms: number): void;
  /** Notes an accepted request, so the secret and the clock are right. */
  noteTaken(): void;
  /** Returns what to fix, until a request is accepted or 10 minutes have passed. */
  warnings(): readonly string[];
}

const LOG_EVERY_MS = 60_000;
/** Short, so that readiness recovers soon after the operator has fixed the problem. */
const REMEMBERED_MS = 10 * 60_000;

/** Creates the record of one process. */
export function createRejectedRequests({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}): RejectedRequests {
  let last: { readonly at: number; readonly text: string } | undefined;
  const logged = new Map<string, number>();

  function note(kind: string, text: string): void {
    const now = clock.now();
    last = { at: now, text };
    const before = logged.get(kind);
    if (before !== undefined && now - before < LOG_EVERY_MS) return;
    logged.set(kind, now);
    log.warn({}, text);
  }

  return {
    noteSignature: () =>
      note(
        'signature',
        'A request was refused: its signature does not match SLACK_SIGNING_SECRET. If Slack sent it, copy the signing secret again from the app’s page, “Basic Information”.',
      ),
    noteSkew(ms) {
      const minutes = Math.round(Math.abs(ms) / 60_000);
      const where = ms > 0 ? 'ahead of' : 'behind';
      note(
        'clock',
        `A request was refused: this machine’s clock is ${minutes} minutes ${where} Slack’s timestamp. Set the clock, for example with NTP.`,
      );
    },
    noteTaken() {
      last = undefined;
    },
    warnings: () => (last && clock.now() - last.at < REMEMBERED_MS ? [last.text] : []),
  };
}
