import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { exportFileProblems } from '../../config/paths/folder-problems.ts';
import { DEFAULT_DATA_DIR } from '../../config/setting-variables.ts';
import { type AuditEntry, readAuditLine } from '../../domain/audit/audit.ts';
import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import type { CommandRecords } from '../../stores/command-records.ts';
import type { AuditRow as StoredRow } from '../../stores/records.ts';
import { rowsAfter } from '../../stores/repositories/audit.ts';
import { createCalls } from '../../stores/repositories/calls.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError } from '../command.ts';
import { withConfiguredRecords } from '../open-configured-records.ts';
import { parseArguments } from '../parse-arguments.ts';
import { parseTime } from '../parse-time.ts';
import { flatColumnsOf, idsOf } from './audit-columns.ts';
import { createNameCache, type NameCache } from './audit-names.ts';
import {
  type AuditFormat,
  type AuditRow,
  auditHeader,
  auditRows,
  formatUtcTime,
} from './audit-rows.ts';

interface ExportOptions {
  /** From `from` inclusive to `to` exclusive, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly format: AuditFormat;
  readonly file?: string | undefined;
}

/** Exports the entries of a time range, in stored order. Holds at most one page in memory. */
export async function exportAudit(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const options = readOptions(args, deps);
  return await withConfiguredRecords(deps, 'read', async ({ records }) => {
    const names = createNameCache(deps.env);
    const source = { records, names };
    const { file } = options;
    const code =
      file === undefined
        ? reportProgress(await write(source, options, deps.write), deps.err)
        : await writeFile(source, options, file, deps);
    const why = names.problem();
    if (why !== undefined) deps.err(`Some names are empty: ${toTerminalLine(why)}`);
    return code;
  });
}

function readOptions(args: readonly string[], { clock, env }: CommandDeps): ExportOptions {
  const now = clock.now();
  const { values } = parseArguments({
    args: [...args],
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      format: { type: 'string', default: 'jsonl' },
      out: { type: 'string' },
    },
  });
  const { format, out: file } = values;
  if (format !== 'csv' && format !== 'jsonl') {
    throw new UsageError(`--format must be csv or jsonl, not “${format}”.`);
  }
  if (file !== undefined) checkFile(file, env.DATA_DIR?.trim() || DEFAULT_DATA_DIR);
  const from =
    values.from === undefined
      ? Number.NEGATIVE_INFINITY
      : parseTime('--from', values.from, 'begin', now);
  const to =
    values.to === undefined ? Number.POSITIVE_INFINITY : parseTime('--to', values.to, 'end', now);
  if (from >= to) throw new UsageError('--from must be before --to.');
  return { from, to, format, file };
}

function checkFile(file: string, dataDir: string): void {
  if (file === '') throw new UsageError('--out must be the name of a file.');
  if (file === '-') {
    throw new UsageError(
      '--out must be the name of a file, not “-”. Leave it out to write to standard output.',
    );
  }
  const [problem] = exportFileProblems(file, dataDir);
  if (problem !== undefined) throw new UsageError(problem);
}

/** The result of an export. */
interface ExportResult {
  readonly count: number;
  /** The sequence numbers of unreadable entries. */
  readonly unreadable: readonly number[];
  /** The oldest entry that still exists, if older ones were requested. */
  readonly firstKept?: AuditEntry;
}

const MAX_NAMED = 10;

/** The records to export, and the names for their ids. */
interface ExportSource {
  readonly records: CommandRecords['records'];
  readonly names: NameCache;
}

async function toRows(
  entries: readonly AuditEntry[],
  { records, names }: ExportSource,
): Promise<readonly AuditRow[]> {
  const calls = await readCalls(records, new Set(entries.map(({ subject }) => subject)));
  const flatten = () =>
    entries.map((entry) => ({
      entry,
      flat: flatColumnsOf(entry, calls.get(entry.subject), names),
    }));
  await names.learn(flatten().flatMap(({ flat }) => idsOf(flat)));
  return flatten();
}

async function write(
  source: ExportSource,
  { format, from, to }: ExportOptions,
  append: (text: string) => Promise<void>,
): Promise<ExportResult> {
  let count = 0;
  let first: AuditEntry | undefined;
  const unreadable: number[] = [];
  await append(auditHeader(format));
  for await (const page of rowsAfter(source.records, 0)) {
    const entries = entriesOf(page, unreadable);
    first ??= entries[0];
    const matching = entries.filter(({ at }) => at >= from && at < to);
    count += matching.length;
    if (matching.length > 0) await append(auditRows(await toRows(matching, source), format));
  }
  const missesOlder = first !== undefined && first.seq > 1 && first.at >= from;
  return { count, unreadable, ...(missesOlder && first && { firstKept: first }) };
}

function entriesOf(page: readonly StoredRow[], unreadable: number[]): readonly AuditEntry[] {
  return page.flatMap(({ entry, seq }) => {
    // Entries are exported even if they were tampered with; “audit verify” reports that.
    const line = readAuditLine(entry, seq, undefined);
    if (line.kind === 'entry') return [line.entry];
    unreadable.push(seq);
    return [];
  });
}

/** Returns the stored calls of these ids, without missing and damaged ones. */
async function readCalls(
  records: ExportSource['records'],
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Call>> {
  const { get } = createCalls(records, () => {});
  const found = await Promise.all([...ids].map((id) => get(id).catch(recoverDamaged(undefined))));
  return new Map(found.flatMap((call) => (call ? [[call.id, call] as const] : [])));
}

function reportProgress(
  { count, firstKept, unreadable }: ExportResult,
  err: CommandDeps['err'],
  where = '',
): ExitCode {
  if (firstKept) {
    err(
      `The audit begins with entry ${firstKept.seq} (${formatUtcTime(firstKept.at)}): earlier entries no longer exist. “npx --no -- countersign audit verify” says why.`,
    );
  }
  if (where !== '')
    err(`${count} ${count === 1 ? 'entry is' : 'entries are'} in ${toTerminalLine(where)}.`);
  if (unreadable.length === 0) return EXIT.fine;
  const named = unreadable.slice(0, MAX_NAMED).join(', ');
  const more = unreadable.length > MAX_NAMED ? ', …' : '';
  err(
    `Left out because they can't be read: ${unreadable.length} (${named}${more}). “npx --no -- countersign audit verify” says more.`,
  );
  return EXIT.problems;
}

/** Replaces the file atomically: it holds a complete export or its previous content. */
async function writeFile(
  source: ExportSource,
  options: ExportOptions,
  file: string,
  { err }: CommandDeps,
): Promise<ExitCode> {
  const part = `${file}.part`;
  let handle: FileHandle | undefined;
  try {
    // A leftover may be a link to another file, which must not be written.
    await rm(part, { force: true });
    // Private: the export says who did what.
    handle = await open(part, 'wx', 0o600);
    const opened = handle;
    const written = await write(source, options, async (text) => {
      await opened.appendFile(text);
    });
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return reportProgress(written, err, file);
  } catch (error) {
    if (!isFileError(error)) throw error;
    await handle?.close().catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    err(toTerminalLine(`${file} can't be written: ${error.message}.`));
    return EXIT.problems;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
