import { readFileSync, statSync } from 'node:fs';
import { describeSuggestion, suggestSetting } from '../suggest-setting.ts';
import { parseEnvFile } from './parse-env-file.ts';

/** The file can't be taken as it is written; the message names each line, and no value. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
}

/** Reads the variables of the `.env` in the folder of the process, none where there is no such file; throws `EnvFileError` when one of its lines would not mean what it says. */
export function readEnvFile(): Readonly<Record<string, string>> {
  const { values, problems } = parseEnvFile(readBytes());
  const misspelt = Object.keys(values).flatMap((name) => {
    const meant = suggestSetting(name);
    return meant === undefined
      ? []
      : [
          `${describeSuggestion(name, meant)} If it is for something else, set it in the environment instead.`,
        ];
  });
  const all = [
    ...problems.map((problem) => `  - .env ${problem}`),
    ...misspelt.map((each) => `  - .env: ${each}`),
  ];
  if (all.length === 0) return values;
  throw new EnvFileError(
    `The file .env can't be taken as it is written (.env.example shows how to quote):\n${all.join('\n')}`,
  );
}

function readBytes(): Uint8Array {
  const found = statSync('.env', { throwIfNoEntry: false });
  if (!found) return new Uint8Array();
  // What a container makes where a file was to be mounted that is not there.
  if (found.isDirectory()) {
    throw new EnvFileError(
      '.env is a folder, and not a file of settings. Remove it, or name it otherwise.',
    );
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
