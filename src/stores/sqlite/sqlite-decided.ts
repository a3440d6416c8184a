import type { Database } from 'better-sqlite3';
import type { Call } from '../../domain/call.ts';
import { decidedBetween } from '../../domain/decided-by.ts';
import type { Person } from '../../domain/person.ts';

/** The step that makes the table, of what is stored by then. */
export const DECIDED_TABLE = `
  -- Who has decided on which call, and when: what people see on their Home.
  CREATE TABLE decided (
    who TEXT NOT NULL,
    call_id TEXT NOT NULL REFERENCES calls (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (who, call_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX decided_by_time ON decided (who, at, call_id);
  CREATE INDEX decided_by_call ON decided (call_id);
  INSERT INTO decided (who, call_id, at)
    SELECT team || '/' || user, id, max(CAST(at AS INTEGER)) FROM (
      SELECT calls.id AS id, vote.value ->> '$.by.team' AS team, vote.value ->> '$.by.user' AS user,
        vote.value ->> '$.at' AS at
      FROM calls, json_each(
        CASE WHEN json_valid(document) THEN coalesce(document -> '$.votes', '[]') ELSE '[]' END
      ) AS vote
      UNION ALL
      SELECT id, document ->> '$.verdict.by.team', document ->> '$.verdict.by.user',
        document ->> '$.verdict.at'
      FROM calls WHERE json_valid(document)
    ) WHERE team IS NOT NULL AND user IS NOT NULL AND at IS NOT NULL GROUP BY 1, 2;
`;

/** Who has decided on which calls. */
export interface DecidedRows {
  /** Follows a call from one revision to another; inside the transaction that writes it. */
  move(before: Call, after: Call): void;
  /** Lists the ids of calls on which a person has decided since a time, the last decision first, after a call. */
  ids(person: Person, since: number, after: string | undefined, limit: number): readonly string[];
}

/** Creates the rows over one connection. */
export function createDecidedRows(db: Database): DecidedRows {
  const put = db.prepare<[who: string, id: string, at: number]>(`
    INSERT INTO decided (who, call_id, at) VALUES (?, ?, ?)
    ON CONFLICT (who, call_id) DO UPDATE SET at = excluded.at`);
  const page = db
    .prepare<{ who: string; since: number; after: string | null; limit: number }, string>(`
      SELECT call_id FROM decided
      WHERE who = @who AND at >= @since AND (at, call_id) <
        (coalesce((SELECT at FROM decided WHERE who = @who AND call_id = @after), 9e15),
          coalesce(@after, ''))
      ORDER BY at DESC, call_id DESC LIMIT @limit`)
    .pluck();
  const nameOf = ({ team, user }: Person) => `${team}/${user}`;

  return {
    move(before, after) {
      for (const { by, at } of decidedBetween(before, after)) put.run(nameOf(by), after.id, at);
    },
    ids: (person, since, after = undefined, limit) =>
      page.all({ who: nameOf(person), since, after: after ?? null, limit }),
  };
}
