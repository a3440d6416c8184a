import { showLine } from '../domain/terminal-text.ts';
import { type AuditSource, NoAuditError } from '../stores/audit-source.ts';
import { openAudit } from '../stores/open-audit.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';
import { NO_LOG, readPlaces } from './named-places.ts';

/** Opens the audit that the settings name, does what is to be done with it, and closes it; what keeps it from being read is said, and is a problem. */
export async function withAudit(
  deps: CommandDeps,
  use: (audit: AuditSource) => Promise<ExitCode>,
): Promise<ExitCode> {
  const places = readPlaces(deps);
  if (!places) return EXIT.problems;
  let audit: AuditSource | undefined;
  try {
    audit = await openAudit(places, NO_LOG);
    return await use(audit);
  } catch (error) {
    if (!(error instanceof NoAuditError)) throw error;
    deps.err(showLine(error.message));
    return EXIT.problems;
  } finally {
    await audit?.close();
  }
}
