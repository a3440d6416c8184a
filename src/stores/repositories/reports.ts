/** What the tools of running calls said last of how it goes. */
import type { Reports } from '../../domain/report.ts';
import type { Records } from '../records/records.ts';
import { askFor } from './agenda-task.ts';
import { changeRecords, type Draft } from './change-records.ts';
import { readOne } from './read-records.ts';
import { CALL } from './stored-call.ts';
import { REPORT } from './stored-report.ts';

/** Creates the reports. */
export function createReports(records: Records): Reports {
  return {
    async keep({ id, revision }, report, wakes) {
      const keep = async (draft: Draft) => {
        const call = (await draft.read(CALL, id))?.call;
        if (call?.status !== 'running' || call.revision !== revision) return;
        await draft.put(REPORT, id, report);
        askFor(draft, wakes);
      };
      await changeRecords(records, keep, { durable: 'later' });
    },
    of: (callId) => readOne(records, REPORT, callId),
  };
}
