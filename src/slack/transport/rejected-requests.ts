import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';

/** Requests in Slack's form that were not taken: the operator hears why, for Slack tells nobody. */
export interface RejectedRequests {
  /** The signature is not made with our secret. */
  noteSignature(): void;
  /** The timestamp is so many milliseconds away from our clock. */
  noteSkew(ms: number): void;
  /** A request was taken, so that secret and clock are right. */
  noteTaken(): void;
  /** What has to be mended, while nothing was taken since. */
  warnings(): readonly string[];
}

const LOG_EVERY_MS = 60_000;
/** Whoever has mended it need not wait for long until readiness agrees. */
const REMEMBERED_MS = 10 * 60_000;

/** Creates the notes of one process. */
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
        'A request was refused: its signature does not fit SLACK_SIGNING_SECRET. If Slack sent it, copy the signing secret again from the app’s page, “Basic Information”.',
      ),
    noteSkew(ms) {
      const minutes = Math.round(Math.abs(ms) / 60_000);
      const where = ms > 0 ? 'ahead of' : 'behind';
      note(
        'clock',
        `A request was refused: this machine’s clock is ${minutes} minutes ${where} the time that Slack names. Set the clock, for example with NTP.`,
      );
    },
    noteTaken() {
      last = undefined;
    },
    warnings: () => (last && clock.now() - last.at < REMEMBERED_MS ? [last.text] : []),
  };
}
