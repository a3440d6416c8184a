import type { Report } from '../../../domain/cards/progress-report.ts';
import { readDocument } from './read-record.ts';
import type { RecordKind } from './read-records.ts';

/** By the id of the call that runs. */
export const REPORT: RecordKind<Report> = {
  name: 'report',
  entriesOf: () => [],
  read: (document, id) => readDocument<Report>(document, { kind: 'report', id }),
};
