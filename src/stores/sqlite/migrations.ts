import type { Database } from 'better-sqlite3';
import { DECIDED_TABLE } from './sqlite-decided.ts';

/** The schema's versions in order: the place in the list is the version that a step makes. Stored data depends on them; a step is never changed, only followed. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE calls (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    turn TEXT NOT NULL,
    message_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (thread, message_id, tool_call_id)
  ) STRICT;
  CREATE INDEX calls_of_turn ON calls (thread, turn, created_at, position);
  CREATE INDEX calls_by_status ON calls (status);

  CREATE TABLE cards (
    call_id TEXT PRIMARY KEY REFERENCES calls (id),
    channel TEXT NOT NULL,
    ts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE inbox (
    id TEXT PRIMARY KEY,
    thread TEXT NOT NULL,
    ts TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'current', 'turn', 'reply', 'answered')),
    document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX inbox_of_thread ON inbox (thread, state);
  CREATE UNIQUE INDEX inbox_one_current ON inbox (thread) WHERE state = 'current';

  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    id TEXT NOT NULL,
    settled_at INTEGER NOT NULL,
    messages TEXT NOT NULL,
    UNIQUE (thread, id)
  ) STRICT;
  CREATE INDEX turns_of_thread ON turns (thread, seq);

  -- A say that was said keeps its id, so that it isn't said again, and loses its text.
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    document TEXT
  ) STRICT;
  CREATE INDEX outbox_unsaid ON outbox (thread, seq) WHERE document IS NOT NULL;

  -- Rows stay when their work is done: the newest fence of a thread is the one in its row.
  CREATE TABLE agenda (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    due_at INTEGER,
    fence INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER,
    tries INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    parked_at INTEGER,
    ready_at INTEGER GENERATED ALWAYS AS (coalesce(leased_until, due_at)) VIRTUAL
  ) STRICT;
  CREATE INDEX agenda_ready ON agenda (ready_at, seq) WHERE ready_at IS NOT NULL;
  CREATE INDEX agenda_parked ON agenda (parked_at) WHERE parked_at IS NOT NULL;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counters VALUES ('fence', 0), ('checked-at', 0);

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE (ABORT, 'Audit entries are never changed.'); END;
  CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
    BEGIN SELECT RAISE (ABORT, 'Audit entries are never deleted.'); END;
  `,
  `
  CREATE INDEX inbox_busy ON inbox (state, thread) WHERE state IN ('waiting', 'current');

  -- What a turn has besides its messages.
  ALTER TABLE turns ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';

  CREATE TABLE ratings (
    seq INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    turn TEXT NOT NULL,
    rater TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (thread, turn, rater)
  ) STRICT;

  CREATE TABLE lives (
    thread TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    ts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE switches (name TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- What people have typed into forms that they have not sent yet.
  CREATE TABLE drafts (id TEXT PRIMARY KEY, document TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE INDEX drafts_until ON drafts (until);
  `,
  `
  -- Whose calls of which tool: what policies add up. A damaged document is nobody's.
  ALTER TABLE calls ADD COLUMN requester TEXT NOT NULL DEFAULT '';
  ALTER TABLE calls ADD COLUMN tool TEXT NOT NULL DEFAULT '';
  UPDATE calls SET
    requester = coalesce(document ->> '$.requester.team' || '/' || (document ->> '$.requester.user'), ''),
    tool = coalesce(document ->> '$.tool', '')
    WHERE json_valid(document);
  CREATE INDEX calls_of_requester ON calls (requester, tool, created_at);
  `,
  `
  -- The routes that admins set in Slack: one row. Whoever does not know of them must not start.
  CREATE TABLE route_book (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    revision INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
    `,
  `
  -- How many calls of a person wait for a decision.
  CREATE INDEX calls_pending_of ON calls (requester) WHERE status = 'pending';

  -- How long the audit is, apart from its entries, and how many of the first were removed.
  INSERT INTO counters VALUES ('audit', coalesce((SELECT max(seq) FROM audit), 0)), ('audit-removed', 0), ('audit-note', 0);
  CREATE TRIGGER audit_is_counted AFTER INSERT ON audit
    BEGIN UPDATE counters SET value = new.seq WHERE name = 'audit'; END;
  DROP TRIGGER audit_is_never_deleted;
  CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
    WHEN old.seq > (SELECT value FROM counters WHERE name = 'audit-removed')
    BEGIN SELECT RAISE (ABORT, 'Audit entries are never deleted.'); END;

  -- When something happened last in the threads of people; child threads count with theirs.
  CREATE TABLE touches (thread TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX touches_by_time ON touches (at, thread);
  INSERT INTO touches (thread, at)
    WITH seen (thread, at) AS (
      SELECT thread, settled_at FROM turns
      UNION ALL SELECT thread, created_at FROM calls
      UNION ALL SELECT thread, CAST(coalesce(document ->> '$.updatedAt', 0) AS INTEGER)
        FROM calls WHERE json_valid(document)
      UNION ALL SELECT thread, CAST(coalesce(document ->> '$.receivedAt', 0) AS INTEGER)
        FROM inbox WHERE json_valid(document)
    ), cut (thread, at, channel) AS (
      SELECT thread, at, instr(thread, '/') + 1 FROM seen
    ), cut_again (thread, at, root) AS (
      SELECT thread, at, channel + instr(substr(thread, channel), '/') FROM cut
    )
    SELECT substr(thread, 1, root - 1 + instr(substr(thread, root) || '/', '/') - 1), max(at)
      FROM cut_again GROUP BY 1;
  `,
  `
  -- Of whom calls ask a decision now, and whose calls are over: what people see on their Home.
  CREATE TABLE asked (
    who TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES calls (seq),
    PRIMARY KEY (who, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX asked_by_call ON asked (seq);
  INSERT OR IGNORE INTO asked (who, seq)
    SELECT substr(requester, 1, instr(requester, '/')) || CASE approvers.value
      WHEN 'requester' THEN 'user:' || substr(requester, instr(requester, '/') + 1)
      ELSE approvers.value END, seq
    FROM calls, json_each(CASE WHEN requester = '' THEN '[]'
      ELSE coalesce(document -> '$.route.approvers', '["requester"]') END) AS approvers
    WHERE status IN ('pending', 'unknown');
  ALTER TABLE calls ADD COLUMN is_over INTEGER GENERATED ALWAYS AS (
    status IN ('succeeded', 'failed', 'replied', 'ignored', 'expired', 'withdrawn', 'refused')
  ) VIRTUAL;
  CREATE INDEX calls_made_by ON calls (requester, is_over, seq);
  `,
  `
  -- What stands in Slack for a call besides its card.
  CREATE TABLE sides (
    call_id TEXT NOT NULL REFERENCES calls (id),
    side TEXT NOT NULL,
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    PRIMARY KEY (call_id, side)
  ) STRICT, WITHOUT ROWID;

  -- Cards that came to a channel; one that waits no more is kept as long as it counts for a crowd.
  CREATE TABLE arrivals (
    channel TEXT NOT NULL,
    call_id TEXT NOT NULL,
    occasion TEXT NOT NULL,
    at INTEGER NOT NULL,
    calls TEXT NOT NULL,
    bulletin TEXT,
    waits INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (channel, call_id, occasion)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX arrivals_by_time ON arrivals (channel, at);
  CREATE INDEX arrivals_of_call ON arrivals (call_id);
  CREATE INDEX arrivals_of_bulletin ON arrivals (bulletin, waits) WHERE bulletin IS NOT NULL;

  CREATE TABLE bulletins (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    since INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    total INTEGER NOT NULL,
    opener TEXT NOT NULL,
    called TEXT NOT NULL,
    place TEXT
  ) STRICT;
  CREATE INDEX bulletins_of_channel ON bulletins (channel, seq);
  `,
  `
  -- Work that ends its process each time is given up some day.
  ALTER TABLE agenda ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The keys of programs, and which calls were asked for with which.
  CREATE TABLE keys (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
  ALTER TABLE calls ADD COLUMN key TEXT;
  UPDATE calls SET key = document ->> '$.outside.key' WHERE json_valid(document);
  CREATE INDEX calls_of_key ON calls (key, seq) WHERE key IS NOT NULL;
  CREATE INDEX calls_pending_of_key ON calls (key) WHERE key IS NOT NULL AND status = 'pending';
  `,
  `
  -- Calls of programs that are over: their channels are never untouched for long.
  CREATE INDEX calls_over_in_channels ON calls (created_at) WHERE is_over = 1 AND substr(thread, -2) = '/0';
  `,
  `
  -- What MCP servers say of their tools, as it was accepted.
  CREATE TABLE pins (
    name TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    document TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Messages of turns in progress: a turn is rebuilt from them when its checkpoint is lost.
  CREATE TABLE turn_records (
    thread TEXT NOT NULL,
    turn TEXT NOT NULL,
    position INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (thread, turn, position)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What the tools of running calls said last of how they go.
  CREATE TABLE reports (
    call_id TEXT PRIMARY KEY REFERENCES calls (id),
    text TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  DECIDED_TABLE,
];

/** Brings a database to the newest version, each step whole or not at all; throws when it is newer than that. */
export function migrate(db: Database, migrations: readonly string[] = MIGRATIONS): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new Error(sayNewer(db.name, version, migrations.length));
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    const step = db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${index + 1}`);
    });
    step.immediate();
  }
}

/** Says that the records are of a version that is not known here. */
export function sayNewer(file: string, version: number, newest: number): string {
  return `${file} was written by a newer Countersign: its version is ${version}, and this one knows up to ${newest}. Start the newer Countersign, or set another DATA_DIR.`;
}
