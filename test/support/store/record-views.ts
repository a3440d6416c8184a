import type { Database } from 'better-sqlite3';

const of = (kind: string) => `FROM main.records WHERE key LIKE '${kind}/%'`;
const id = (kind: string) => `substr(key, ${kind.length + 2}) AS id`;
const field = (name: string) => `json_extract(document, '$.${name}') AS ${name}`;
const ofEntry = (name: string) =>
  `json_extract(json_extract(entry, '$.entry'), '$.${name}') AS ${name}`;

const VIEWS = {
  calls: `SELECT ${id('call')}, number AS seq, ${field('status')}, ${field('revision')}, document ${of('call')}`,
  inbox: `SELECT ${id('message')}, ${field('state')}, ${field('thread')}, document ${of('message')}`,
  turns: `SELECT ${id('turn')}, document ${of('turn')}`,
  lives: `SELECT ${id('live')}, document ${of('live')}`,
  switches: `SELECT ${id('pause')}, document ${of('pause')}`,
  agenda: 'SELECT unit, id, due, taken FROM main.tasks',
  audit: `SELECT seq, ${['event', 'subject', 'actor', 'at', 'detail'].map(ofEntry).join(', ')} FROM main.audit`,
} as const;

/** Shows the stored records to a connection as tables, one for each kind that tests need. */
export function addRecordViews(db: Database): void {
  for (const [name, select] of Object.entries(VIEWS))
    db.exec(`CREATE TEMP VIEW ${name} AS ${select}`);
}
