import type { Database } from 'better-sqlite3';
import { AUDIT_GENESIS, type AuditDraft, type AuditEntry, chainAudit } from '../../domain/audit.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Audit } from '../../domain/store.ts';
import { parseDocument } from './parse-document.ts';
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

  return {
    async append(drafts) {
      transact.write(() => rows.append(drafts));
    },
    async read(fromSeq, limit) {
      const found = transact.read(() => read.all(fromSeq, Math.max(0, limit)));
      return found.map((row) => ({
        ...row,
        detail: parseDocument<AuditEntry['detail']>(row.detail, `audit entry ${row.seq}`),
      }));
    },
  };
}
