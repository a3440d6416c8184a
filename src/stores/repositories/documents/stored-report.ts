import type { ProgressReport } from '../../../domain/cards/progress-report.ts';
import { parseDocument } from './read-record.ts';
import type { RecordKind } from './read-records.ts';

/** Keyed by the id of the running call. */
export const REPORT: RecordKind<ProgressReport> = {
  name: 'report',
  entriesOf: () => [],
  read: (document, id) => parseDocument<ProgressReport>(document, { kind: 'report', id }),
};
