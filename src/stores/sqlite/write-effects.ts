import type { Effects } from '../../domain/store.ts';
import type { InboxRows } from './inbox-rows.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import type { AuditRows } from './sqlite-audit.ts';
import type { OutboxRows } from './sqlite-outbox.ts';
import type { RecordRows } from './sqlite-records.ts';

/** Writes what goes with a change, in the transaction of that change. */
export type WriteEffects = (effects: Effects) => void;

/** Creates the writer of effects from the rows that they touch. */
export function createWriteEffects(rows: {
  readonly agenda: AgendaRows;
  readonly audit: AuditRows;
  readonly inbox: InboxRows;
  readonly outbox: OutboxRows;
  readonly records: RecordRows;
}): WriteEffects {
  return ({ audit = [], messageEnds = [], records = [], says = [], wakes = [] }) => {
    rows.audit.append(audit);
    rows.inbox.end(messageEnds);
    rows.records.keep(records);
    rows.outbox.add(says);
    rows.agenda.wake(wakes);
  };
}
