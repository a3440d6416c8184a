import type { Database } from 'better-sqlite3';
import type { MessageEnd } from '../../domain/store.ts';

/** The inbox's statements for use within a transaction of another port. */
export interface InboxRows {
  end(ends: readonly { readonly id: string; readonly how: MessageEnd }[]): void;
}

/** Creates the statements that other ports write the inbox with. */
export function createInboxRows(db: Database): InboxRows {
  const end = db.prepare<[how: MessageEnd, id: string]>(
    `UPDATE inbox SET state = ? WHERE id = ? AND state IN ('waiting', 'current')`,
  );
  return {
    end(ends) {
      for (const { id, how } of ends) end.run(how, id);
    },
  };
}
