/** Last progress reports of running calls' tools. */
import type { ProgressReport } from '../../domain/cards/progress-report.ts';
import type { ProgressReports } from '../../domain/ports/progress-reports.ts';
import type { Records } from '../records.ts';
import { requestTask } from './documents/agenda-task.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import { type RecordKind, readOne } from './documents/read-records.ts';
import { CALL } from './documents/stored-call.ts';

/** Keyed by the id of the running call. */
export const REPORT: RecordKind<ProgressReport> = {
  name: 'report',
  entriesOf: () => [],
  read: (document, id) => parseDocument<ProgressReport>(document, { kind: 'report', id }),
};

/** Creates the progress reports. */
export function createProgressReports(records: Records): ProgressReports {
  return {
    async keep({ id, revision }, report, wakes) {
      const keep = async (draft: CommitDraft) => {
        const call = (await draft.read(CALL, id))?.call;
        if (call?.status !== 'running' || call.revision !== revision) return;
        await draft.put(REPORT, id, report);
        requestTask(draft, wakes);
      };
      await changeRecords(records, keep, { durable: 'later' });
    },
    of: (callId) => readOne(records, REPORT, callId),
  };
}
