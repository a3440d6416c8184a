import type { Keys } from '../domain/ports/store.ts';
import { showLine } from '../domain/text/terminal-text.ts';
import { NoRecordsError, type OpenedRecords } from '../stores/command-records.ts';
import { sealOf } from '../stores/create-store.ts';
import { openBeside } from '../stores/open-for-command.ts';
import { markAudit } from '../stores/repositories/audit.ts';
import { createKeys } from '../stores/repositories/settings.ts';
import { SILENT_LOG } from '../stores/silent-log.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';
import { readPlaces } from './configured-storage.ts';

/** Opens the records that the settings name, does what is to be done with them, and closes them; what keeps them from being opened is said, and is a problem. */
export async function withRecords(
  deps: CommandDeps,
  how: 'read' | 'write',
  use: (opened: OpenedRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  const places = readPlaces(deps);
  if (!places) return EXIT.problems;
  let opened: OpenedRecords | undefined;
  try {
    opened = await openBeside(places, how, SILENT_LOG);
    return await use(opened);
  } catch (error) {
    if (!(error instanceof NoRecordsError)) throw error;
    deps.err(showLine(error.message));
    return EXIT.problems;
  } finally {
    await opened?.close();
  }
}

/** The same for the keys of programs. */
export async function withKeys(
  deps: CommandDeps,
  use: (keys: Keys, opened: OpenedRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  return await withRecords(deps, 'write', (opened) => {
    const records = markAudit(opened.records, sealOf(opened.installationKey));
    return use(createKeys(records), opened);
  });
}
