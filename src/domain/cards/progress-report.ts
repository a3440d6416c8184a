import type { Call } from '../calls/call.ts';
import type { Wake } from '../ports/agenda.ts';

/** What the tool of a running call said last of how it goes: one line, its own words. */
export interface ProgressReport {
  readonly text: string;
  readonly at: number;
}

/** What running calls said last. */
export interface ProgressReports {
  /** Keeps a report in place of the one before, as long as the call runs and is at this revision; the next step of the call removes it. Wakes happen when it was kept. */
  keep(
    call: Pick<Call, 'id' | 'revision'>,
    report: ProgressReport,
    wakes: readonly Wake[],
  ): Promise<void>;
  of(callId: string): Promise<ProgressReport | undefined>;
}
