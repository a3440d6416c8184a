import { readFileSync, statSync } from 'node:fs';
import { describeSuggestion, suggestSetting } from '../suggest-setting.ts';
import { parseEnvFile } from './parse-env-file.ts';

/**
 * The file has lines that cannot be read as written. The message names each line, but no values.
 */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
}

/**
 * Reads `.env` in the working directory; returns no variables if it does not exist. Throws
 * `EnvFileError` if any line is ambiguous, invalid or a misspelled setting.
 */
export function readEnvFile(): Readonly<Record<string, string>> {
  const { values, problems } = parseEnvFile(readBytes());
  const misspelled = Object.keys(values).flatMap((name) => {
    const meant = suggestSetting(name);
    return meant === undefined
      ? []
      : [
          `${describeSuggestion(name, meant)} If it is for something else, set it in the environment instead.`,
        ];
  });
  const all = [
    ...problems.map((problem) => `  - .env ${problem}`),
    ...misspelled.map((each) => `  - .env: ${each}`),
  ];
  if (all.length === 0) return values;
  throw new EnvFileError(
    `The file .env can't be read as written (.env.example shows how to quote):\n${all.join('\n')}`,
  );
}

function readBytes(): Uint8Array {
  const found = statSync('.env', { throwIfNoEntry: false });
  if (!found) return new Uint8Array();
  // Container runtimes create a folder if the file to be mounted does not exist.
  if (found.isDirectory()) {
    throw new EnvFileError('.env is a folder, not a settings file. Remove or rename it.');
  }
  try {
    return readFileSync('.env');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EnvFileError(`.env can't be read: ${why}. Let the app's user read it.`, {
      cause: error,
    });
  }
}
