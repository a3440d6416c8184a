import type { Database } from 'better-sqlite3';
import { AUDIT_GENESIS, type AuditDraft, type AuditEntry, chainAudit } from '../../domain/audit.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Audit } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';

/** The audit's statements for use within a transaction of another port. */
export interface AuditRows {
  append(drafts: readonly AuditDraft[]): void;
}

type Row = Omit<AuditEntry, 'detail'> & { readonly detail: string };

/** Creates the statements that other ports write the audit with. */
export function createAuditRows(db: Database): AuditRows {
  const last = db.prepare<[], Pick<AuditEntry, 'seq' | 'hash'>>(
    'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1',
  );
  const insert = db.prepare(`
    INSERT INTO audit (seq, at, event, subject, actor, detail, previous, hash)
    VALUES (@seq, @at, @event, @subject, @actor, @detail, @previous, @hash)`);

  return {
    append(drafts) {
      if (drafts.length === 0) return;
      let { seq, hash } = last.get() ?? { seq: 0, hash: AUDIT_GENESIS };
      for (const draft of drafts) {
        const entry = chainAudit(draft, seq + 1, hash);
        insert.run({ ...entry, detail: canonicalJson(entry.detail) });
        seq = entry.seq;
        hash = entry.hash;
      }
    },
  };
}

/** Creates the audit over one connection. */
export function createSqliteAudit(db: Database, transact: Transact, rows: AuditRows): Audit {
  const read = db.prepare<[from: number, limit: number], Row>(`
    SELECT seq, at, event, subject, actor, detail, previous, hash FROM audit
    WHERE seq >= ? ORDER BY seq LIMIT ?`);
  const newest = db.prepare<[], number>(`SELECT value FROM counters WHERE name = 'audit'`).pluck();
  const isThere = db.prepare<[seq: number, hash: string]>(
    'SELECT 1 FROM audit WHERE seq = ? AND hash = ?',
  );
  const noteRemoved = db.prepare<[seq: number]>(`
    UPDATE counters SET value = CASE name WHEN 'audit-removed' THEN ?
      ELSE (SELECT value FROM counters WHERE name = 'audit') END
    WHERE name IN ('audit-removed', 'audit-note')`);
  const noteOf = db
    .prepare<[], number>(`SELECT value FROM counters WHERE name = 'audit-note'`)
    .pluck();
  const remove = db.prepare<[seq: number]>('DELETE FROM audit WHERE seq <= ?');

  function entries(fromSeq: number, limit: number): readonly AuditEntry[] {
    const found = transact.read(() => read.all(fromSeq, Math.max(0, limit)));
    return found.map((row) => ({
      ...row,
      detail: readDocument<AuditEntry['detail']>(row.detail, {
        kind: 'audit',
        id: String(row.seq),
      }),
    }));
  }

  return {
    async append(drafts) {
      transact.write(() => rows.append(drafts));
    },
    read: async (fromSeq, limit) => entries(fromSeq, limit),
    async newest() {
      return transact.read(() => newest.get() ?? 0);
    },
    async removeThrough({ seq, hash }, note) {
      return transact.write(() => {
        if (isThere.get(seq, hash) === undefined) return false;
        rows.append([note]);
        noteRemoved.run(seq);
        remove.run(seq);
        return true;
      });
    },
    async removal() {
      const seq = transact.read(() => noteOf.get()) ?? 0;
      return entries(seq, 1).find((entry) => entry.seq === seq);
    },
  };
}
