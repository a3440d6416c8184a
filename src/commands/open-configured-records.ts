import type { Keys } from '../domain/ports/store.ts';
import { toTerminalLine } from '../domain/text/terminal-text.ts';
import { type CommandRecords, NoRecordsError } from '../stores/command-records.ts';
import { createAuditSealReader } from '../stores/create-store.ts';
import { openForCommand } from '../stores/open-for-command.ts';
import { markAudit } from '../stores/repositories/audit.ts';
import { createKeys } from '../stores/repositories/settings.ts';
import { SILENT_LOG } from '../stores/silent-log.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';
import { readStorageLocation } from './configured-storage.ts';

/**
 * Opens the configured records, calls `use`, and closes them. If they cannot be opened, prints why
 * and returns `problems`.
 */
export async function withConfiguredRecords(
  deps: CommandDeps,
  how: 'read' | 'write',
  use: (opened: CommandRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  const places = readStorageLocation(deps);
  if (!places) return EXIT.problems;
  let opened: CommandRecords | undefined;
  try {
    opened = await openForCommand(places, how, SILENT_LOG);
    return await use(opened);
  } catch (error) {
    if (!(error instanceof NoRecordsError)) throw error;
    deps.err(toTerminalLine(error.message));
    return EXIT.problems;
  } finally {
    await opened?.close();
  }
}

/** Like `withConfiguredRecords`, for writing API keys. */
export async function withConfiguredKeys(
  deps: CommandDeps,
  use: (keys: Keys, opened: CommandRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  return await withConfiguredRecords(deps, 'write', (opened) => {
    const records = markAudit(opened.records, createAuditSealReader(opened.installationKey));
    return use(createKeys(records), opened);
  });
}
