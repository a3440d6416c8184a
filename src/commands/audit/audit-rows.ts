import { stringify } from 'csv-stringify/sync';
import type { AuditEntry } from '../../domain/audit/audit.ts';
import { canonicalJson } from '../../domain/json/json.ts';
import { toTerminalJson, toTerminalLines } from '../../domain/text/terminal-text.ts';
import { FLAT_COLUMNS, type FlatColumns } from './audit-columns.ts';

/** The format of an export. */
export type AuditFormat = 'csv' | 'jsonl';

const COLUMNS = [
  ...['seq', 'time', 'at', 'event', 'subject', 'actor', 'detail', 'revision', 'mark'],
  ...FLAT_COLUMNS,
];

/** An entry and its extra columns. */
export interface AuditRow {
  readonly entry: AuditEntry;
  readonly flat: FlatColumns;
}

/** Returns the header line; empty for JSON Lines. */
export function auditHeader(format: AuditFormat): string {
  return format === 'csv' ? toCsv([COLUMNS]) : '';
}

/**
 * Formats entries as lines. `at` is in milliseconds. With the key, the mark can be recomputed from
 * a line.
 */
export function auditRows(rows: readonly AuditRow[], format: AuditFormat): string {
  if (format === 'csv') return toCsv(rows.map(cellsOf));
  return rows
    .map(({ entry, flat }) => `${toTerminalJson(JSON.stringify({ ...inOrder(entry), ...flat }))}\n`)
    .join('');
}

/**
 * Escapes formulas, so that spreadsheets treat them as text.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
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

/** Removes terminal control characters: CSV cannot escape them and may be shown in a terminal. */
function showCell(text: string): string {
  return text.split('\t').map(toTerminalLines).join('\t');
}

function inOrder({ actor, at, detail, event, mark, revision, seq, subject }: AuditEntry) {
  return { seq, time: formatUtcTime(at), at, event, subject, actor, detail, revision, mark };
}

/** Formats a time in UTC. Returns an invalid (tampered) time as it is. */
export function formatUtcTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString();
}
