import type { Database } from 'better-sqlite3';
import { type Asked, askedOf } from '../../domain/asked-of.ts';
import type { Call } from '../../domain/call.ts';
import type { Group } from '../../domain/route.ts';

/** Of whom calls ask a decision now. */
export interface AskedRows {
  /** Follows a call from one revision to another; inside the transaction that writes it. */
  move(before: Call, after: Call): void;
  /** Lists the groups of a workspace of which something is asked. */
  groups(team: string): readonly Group[];
  /** Lists the calls that ask any of these, each once, by their places in the order of calls, after a place. */
  seqs(team: string, asked: readonly Asked[], after: number, limit: number): readonly number[];
}

/** What begins the name of a group among those who are asked. */
const GROUPS = ['channel:', 'usergroup:'] as const;

/** Creates the rows over one connection. */
export function createAskedRows(db: Database): AskedRows {
  const drop = db.prepare<[id: string]>(
    'DELETE FROM asked WHERE seq = (SELECT seq FROM calls WHERE id = ?)',
  );
  const add = db.prepare<[who: string, id: string]>(
    'INSERT OR IGNORE INTO asked (who, seq) SELECT ?, seq FROM calls WHERE id = ?',
  );
  // One look for each name: a group of which ten thousand calls ask costs what any other does.
  const next = db
    .prepare<[after: string, end: string], string>(
      'SELECT who FROM asked WHERE who > ? AND who < ? ORDER BY who LIMIT 1',
    )
    .pluck();
  const ofOne = db
    .prepare<[who: string, after: number, limit: number], number>(
      'SELECT seq FROM asked WHERE who = ? AND seq > ? ORDER BY seq LIMIT ?',
    )
    .pluck();

  function namesFrom(start: string): readonly string[] {
    const names: string[] = [];
    const end = `${start}\u{10ffff}`;
    for (let at = next.get(start, end); at !== undefined; at = next.get(at, end)) names.push(at);
    return names;
  }

  return {
    move(before, after) {
      const [had, has] = [before, after].map((call) => askedOf(call));
      if (String(had) === String(has)) return;
      drop.run(after.id);
      for (const who of has ?? []) add.run(`${after.requester.team}/${who}`, after.id);
    },
    groups: (team) =>
      GROUPS.flatMap((kind) => namesFrom(`${team}/${kind}`)).map(
        (name) => name.slice(team.length + 1) as Group,
      ),
    seqs(team, asked, after, limit) {
      const found = asked.flatMap((who) => ofOne.all(`${team}/${who}`, after, limit));
      return [...new Set(found)].sort((a, b) => a - b).slice(0, limit);
    },
  };
}
