import { exportFileProblems } from '../config/paths/folder-problems.ts';
import { backUpDatabase } from '../stores/sqlite/back-up-database.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError } from './command.ts';
import { readStorageLocation } from './configured-storage.ts';
import { parseArguments } from './parse-arguments.ts';

const ON_REDIS =
  'The state is in Redis (REDIS_URL), which makes its own backups: run “redis-cli BGSAVE”, and copy its dump.rdb, or its append-only folder, once LASTSAVE has changed. src/app/README.md says how to restore it.';

/** Copies the records, and what a restore needs. The app may be running. */
export async function runBackup(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true, options: {} });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError(
      'Name one file, like “npx --no -- countersign backup /backups/monday.db”.',
    );
  }
  const places = readStorageLocation(deps);
  if (!places) return EXIT.problems;
  if (places.redis) {
    deps.err(ON_REDIS);
    return EXIT.problems;
  }
  const [problem] = exportFileProblems(file, places.dataDir, 'The backup');
  if (problem !== undefined) throw new UsageError(problem);
  try {
    const { database, key } = await backUpDatabase(places.dataDir, file);
    deps.out(`The records are in ${database}.`);
    deps.out(
      key === undefined
        ? 'There was no installation.key yet: the app has not run.'
        : `The key of the installation is in ${key}. Store it separately: anyone with both can forge records.`,
    );
    return EXIT.fine;
  } catch (error) {
    deps.err(error instanceof Error ? error.message : String(error));
    return EXIT.problems;
  }
}
