/** What the tools of running calls said last of how it goes. */
import type { Reports } from '../../domain/cards/progress-report.ts';
import type { Records } from '../records.ts';
import { askFor } from './documents/agenda-task.ts';
import { changeRecords, type Draft } from './documents/change-records.ts';
import { readOne } from './documents/read-records.ts';
import { CALL } from './documents/stored-call.ts';
import { REPORT } from './documents/stored-report.ts';

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
