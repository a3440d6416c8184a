import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  type AuditSource,
  NoAuditError,
  PAGE,
  readAuditCalls,
  readAuditLine,
} from '../audit-source.ts';
import { readFileKey } from '../installation-key.ts';
import { MIGRATIONS } from './migrations.ts';
import { explainFailure } from './sqlite-failure.ts';

interface Row {
  readonly seq: number;
  readonly at: number;
  readonly event: string;
  readonly subject: string;
  readonly actor: string;
  readonly detail: string;
  readonly previous: string;
  readonly hash: string;
}

/** Opens the audit of a data folder read-only; throws a `NoAuditError` that says why it can't. Nothing is held between two pages, so that the app can go on. */
export function readSqliteAudit(dataDir: string): AuditSource {
  const file = join(dataDir, 'countersign.db');
  if (!existsSync(file)) {
    throw new NoAuditError(
      `There is no audit: ${file} is not there. Set DATA_DIR to the folder of the app's records, or REDIS_URL where they are on Redis.`,
    );
  }
  const db = explained(file, () => new Database(file, { readonly: true }));
  try {
    return toSource(db, file, dataDir);
  } catch (error) {
    db.close();
    throw error;
  }
}

function toSource(db: Database.Database, file: string, dataDir: string): AuditSource {
  const version = explained(file, () => Number(db.pragma('user_version', { simple: true })));
  if (version === 0) {
    throw new NoAuditError(
      `${file} holds nothing of Countersign. If it is a copy, it lacks what the -wal file beside the original holds: make copies by “npx --no -- countersign backup FILE”. Otherwise set DATA_DIR to the folder of the app's records.`,
    );
  }
  if (version > MIGRATIONS.length) {
    throw new NoAuditError(
      `${file} was written by a newer Countersign: its version is ${version}, and this one knows up to ${MIGRATIONS.length}. Read it with the newer Countersign.`,
    );
  }
  const { calls, newest, page } = explained(file, () => prepare(db));

  return {
    async *pages() {
      for (let after = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = explained(file, () => page.all(after));
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map((row) =>
          readAuditLine(row.seq, () => ({ ...row, detail: JSON.parse(row.detail) as unknown })),
        );
        after = last.seq;
      }
    },
    async callsOf(ids) {
      const rows = explained(file, () => calls.all(JSON.stringify(ids)));
      return readAuditCalls(rows.map(({ document, id }) => [id, document]));
    },
    newest: async () => explained(file, () => newest.get() ?? 0),
    key: () => readFileKey(dataDir),
    keyPlace: join(dataDir, 'installation.key'),
    async close() {
      db.close();
    },
  };
}

function prepare(db: Database.Database) {
  const page = db.prepare<[after: number], Row>(`
    SELECT seq, at, event, subject, actor, detail, previous, hash FROM audit
    WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`);
  // One of an older version does not count apart from the entries.
  const newest = db
    .prepare<[], number>(
      `SELECT coalesce((SELECT value FROM counters WHERE name = 'audit'), max(seq), 0) FROM audit`,
    )
    .pluck();
  const calls = db.prepare<[ids: string], { readonly id: string; readonly document: string }>(
    'SELECT id, document FROM calls WHERE id IN (SELECT value FROM json_each(?))',
  );
  return { calls, page, newest };
}

/** The folder may be read-only while the app does not run: then SQLite can't make the files beside it. */
function explained<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') {
      // What has no such table or column.
      throw new NoAuditError(
        `${file} is not a database of Countersign, or it is damaged: ${error.message}. Set DATA_DIR to the folder of the app's records.`,
        { cause: error },
      );
    }
    const known = explainFailure(error, file);
    if (known === error || !(known instanceof Error)) throw error;
    throw new NoAuditError(known.message, { cause: error });
  }
}
