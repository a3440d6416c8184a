import type { Keys } from '../domain/store.ts';
import { showLine } from '../domain/terminal-text.ts';
import { type KeysSource, NoKeysError } from '../stores/keys-source.ts';
import { openKeys } from '../stores/open-keys.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';
import { NO_LOG, readPlaces } from './named-places.ts';

/** Opens the keys that the settings name, does what is to be done with them, and closes them; what keeps them from being opened is said, and is a problem. */
export async function withKeys(
  deps: CommandDeps,
  use: (keys: Keys, source: KeysSource) => Promise<ExitCode>,
): Promise<ExitCode> {
  const places = readPlaces(deps);
  if (!places) return EXIT.problems;
  let opened: KeysSource | undefined;
  try {
    opened = await openKeys(places, NO_LOG);
    return await use(opened.keys, opened);
  } catch (error) {
    if (!(error instanceof NoKeysError)) throw error;
    deps.err(showLine(error.message));
    return EXIT.problems;
  } finally {
    await opened?.close();
  }
}
