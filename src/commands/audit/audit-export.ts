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

interface Wanted {
  /** From the one on, and before the other. */
  readonly from: number;
  readonly to: number;
  readonly format: AuditFormat;
  readonly file?: string | undefined;
}

/** Writes the entries of a span of time, as they are stored and in their order, without holding more than a page of them. */
export async function exportAudit(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const wanted = readWanted(args, deps);
  return await withConfiguredRecords(deps, 'read', async ({ records }) => {
    const names = createNameCache(deps.env);
    const source = { records, names };
    const { file } = wanted;
    const code =
      file === undefined
        ? reportProgress(await write(source, wanted, deps.write), deps.err)
        : await writeFile(source, wanted, file, deps);
    const why = names.problem();
    if (why !== undefined) deps.err(`Some names are left empty: ${toTerminalLine(why)}`);
    return code;
  });
}

function readWanted(args: readonly string[], { clock, env }: CommandDeps): Wanted {
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
    throw new UsageError(`--format is csv or jsonl, and not “${format}”.`);
  }
  if (file !== undefined) judgeFile(file, env.DATA_DIR?.trim() || DEFAULT_DATA_DIR);
  const from =
    values.from === undefined
      ? Number.NEGATIVE_INFINITY
      : parseTime('--from', values.from, 'begin', now);
  const to =
    values.to === undefined ? Number.POSITIVE_INFINITY : parseTime('--to', values.to, 'end', now);
  if (from >= to) throw new UsageError('--from is not before --to.');
  return { from, to, format, file };
}

function judgeFile(file: string, dataDir: string): void {
  if (file === '') throw new UsageError('--out is the name of a file.');
  if (file === '-') {
    throw new UsageError(
      '--out is the name of a file, and not “-”: leave --out away to write to the standard output.',
    );
  }
  const [problem] = exportFileProblems(file, dataDir);
  if (problem !== undefined) throw new UsageError(problem);
}

/** What an export came to. */
interface Written {
  readonly count: number;
  /** The numbers of those that could not be read. */
  readonly unreadable: readonly number[];
  /** The first that there is, where older ones were asked for that are gone. */
  readonly firstKept?: AuditEntry;
}

const MAX_NAMED = 10;

/** What is exported, and the names for what is in it. */
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
  { format, from, to }: Wanted,
  put: (text: string) => Promise<void>,
): Promise<Written> {
  let count = 0;
  let first: AuditEntry | undefined;
  const unreadable: number[] = [];
  await put(auditHeader(format));
  for await (const page of rowsAfter(source.records, 0)) {
    const entries = entriesOf(page, unreadable);
    first ??= entries[0];
    const fit = entries.filter(({ at }) => at >= from && at < to);
    count += fit.length;
    if (fit.length > 0) await put(auditRows(await toRows(fit, source), format));
  }
  const asksForGone = first !== undefined && first.seq > 1 && first.at >= from;
  return { count, unreadable, ...(asksForGone && first && { firstKept: first }) };
}

function entriesOf(page: readonly StoredRow[], unreadable: number[]): readonly AuditEntry[] {
  return page.flatMap(({ entry, seq }) => {
    // What was changed is exported all the same: it is “verify” that says so.
    const line = readAuditLine(entry, seq, undefined);
    if (line.kind === 'entry') return [line.entry];
    unreadable.push(seq);
    return [];
  });
}

/** The calls of these ids, as they are stored now; those that are gone, or damaged, are left out. */
async function readCalls(
  records: ExportSource['records'],
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Call>> {
  const { get } = createCalls(records, () => {});
  const found = await Promise.all([...ids].map((id) => get(id).catch(recoverDamaged(undefined))));
  return new Map(found.flatMap((call) => (call ? [[call.id, call] as const] : [])));
}

function reportProgress(
  { count, firstKept, unreadable }: Written,
  err: CommandDeps['err'],
  where = '',
): ExitCode {
  if (firstKept) {
    err(
      `The audit begins with entry ${firstKept.seq} (${formatUtcTime(firstKept.at)}): what came before is not there any more. “npx --no -- countersign audit verify” says why.`,
    );
  }
  if (where !== '')
    err(`${count} ${count === 1 ? 'entry is' : 'entries are'} in ${toTerminalLine(where)}.`);
  if (unreadable.length === 0) return EXIT.fine;
  const named = unreadable.slice(0, MAX_NAMED).join(', ');
  const more = unreadable.length > MAX_NAMED ? ', …' : '';
  err(
    `Left out, since they can't be read: ${unreadable.length} (${named}${more}). “npx --no -- countersign audit verify” says more.`,
  );
  return EXIT.problems;
}

/** The name is that of a whole export, or of what was there before. */
async function writeFile(
  source: ExportSource,
  wanted: Wanted,
  file: string,
  { err }: CommandDeps,
): Promise<ExitCode> {
  const part = `${file}.part`;
  let handle: FileHandle | undefined;
  try {
    // One that was left behind may be a link to another file, which is not to be written.
    await rm(part, { force: true });
    // It tells who did what, and is for whoever exports it.
    handle = await open(part, 'wx', 0o600);
    const opened = handle;
    const written = await write(source, wanted, async (text) => {
      await opened.appendFile(text);
    });
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return reportProgress(written, err, file);
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    await handle?.close().catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    err(toTerminalLine(`${file} can't be written: ${error.message}.`));
    return EXIT.problems;
  }
}

function isOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
