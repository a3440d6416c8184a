import type { Log } from '../domain/log.ts';
import { type AuditSource, NoAuditError } from '../stores/audit-source.ts';
import { openAudit } from '../stores/open-audit.ts';
import { Variables } from '../variables.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';

const Places = Variables.pick({ DATA_DIR: true, REDIS_URL: true, REDIS_PREFIX: true });

const quiet = () => {};
/** What fails is said by the command itself. */
const NO_LOG: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Opens the audit that the settings name, does what is to be done with it, and closes it; what keeps it from being read is said, and is a problem. */
export async function withAudit(
  { env, err }: CommandDeps,
  use: (audit: AuditSource) => Promise<ExitCode>,
): Promise<ExitCode> {
  const set = Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined]);
  const read = Places.safeParse(Object.fromEntries(set));
  if (!read.success) {
    for (const { message, path } of read.error.issues) err(`${path.join('.')} ${message}`);
    return EXIT.problems;
  }
  const { DATA_DIR: dataDir, REDIS_PREFIX: prefix, REDIS_URL: url } = read.data;
  let audit: AuditSource | undefined;
  try {
    audit = await openAudit(
      { dataDir, ...(url !== undefined && { redis: { url, prefix } }) },
      NO_LOG,
    );
    return await use(audit);
  } catch (error) {
    if (!(error instanceof NoAuditError)) throw error;
    err(error.message);
    return EXIT.problems;
  } finally {
    await audit?.close();
  }
}
