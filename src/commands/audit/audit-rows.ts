import { stringify } from 'csv-stringify/sync';
import type { AuditEntry } from '../../domain/audit/audit.ts';
import { canonicalJson } from '../../domain/json/json.ts';
import { toTerminalJson, toTerminalLines } from '../../domain/text/terminal-text.ts';
import { FLAT_COLUMNS, type FlatColumns } from './audit-columns.ts';

/** What an export is written as. */
export type AuditFormat = 'csv' | 'jsonl';

const COLUMNS = [
  ...['seq', 'time', 'at', 'event', 'subject', 'actor', 'detail', 'revision', 'mark'],
  ...FLAT_COLUMNS,
];

/** An entry, and what is put beside it. */
export interface AuditRow {
  readonly entry: AuditEntry;
  readonly flat: FlatColumns;
}

/** Writes the line with which a file begins; empty where it has none. */
export function auditHeader(format: AuditFormat): string {
  return format === 'csv' ? toCsv([COLUMNS]) : '';
}

/** Writes entries as lines; `at` is in milliseconds, and whoever has the key can compute the mark again from what stands there. */
export function auditRows(rows: readonly AuditRow[], format: AuditFormat): string {
  if (format === 'csv') return toCsv(rows.map(cellsOf));
  return rows
    .map(({ entry, flat }) => `${toTerminalJson(JSON.stringify({ ...inOrder(entry), ...flat }))}\n`)
    .join('');
}

/** A cell that a spreadsheet would compute is a text to it. https://owasp.org/www-community/attacks/CSV_Injection */
function toCsv(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, record_delimiter: 'windows' },
  );
}

function cellsOf({ entry, flat }: AuditRow): readonly string[] {
  const { at, time, detail, seq, event, subject, actor, revision, mark } = inOrder(entry);
  const texts = [event, subject, actor].map(showCell);
  const shown = toTerminalJson(canonicalJson(detail));
  return [
    `${seq}`,
    time,
    `${at}`,
    ...texts,
    shown,
    revision === undefined ? '' : `${revision}`,
    showCell(mark),
    ...FLAT_COLUMNS.map((column) => showCell(flat[column])),
  ];
}

/** CSV has no escape but for what it is made of, and may be read on a terminal. */
function showCell(text: string): string {
  return text.split('\t').map(toTerminalLines).join('\t');
}

function inOrder({ actor, at, detail, event, mark, revision, seq, subject }: AuditEntry) {
  return { seq, time: formatUtcTime(at), at, event, subject, actor, detail, revision, mark };
}

/** Writes a time in UTC; what is none, since somebody changed it, as it is. */
export function formatUtcTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString();
}
