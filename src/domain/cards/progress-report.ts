import type { Call } from '../calls/call.ts';
import type { Wake } from '../ports/agenda.ts';

/** The latest progress of a running call: one line, in the tool's own words. */
export interface ProgressReport {
  readonly text: string;
  readonly at: number;
}

/** Latest progress of running calls. */
export interface ProgressReports {
  /**
   * Replaces the report if the call runs at this revision; the call's next step removes it. Sends
   * the wakes if it was kept.
   */
  keep(
    call: Pick<Call, 'id' | 'revision'>,
    report: ProgressReport,
    wakes: readonly Wake[],
  ): Promise<void>;
  of(callId: string): Promise<ProgressReport | undefined>;
}
