import type { Call } from '../calls/call.ts';
import type { ProgressReport } from '../cards/progress-report.ts';
import type { Wake } from './agenda.ts';

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
