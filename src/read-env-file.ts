import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Reads the variables of the `.env` in the folder of the process; none where there is no such file. */
export function readEnvFile(): Readonly<Record<string, string | undefined>> {
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return {};
  // Some editors begin a file with a mark that would belong to the first variable's name.
  return parseEnv(readFileSync('.env', 'utf8').replace(/^\ufeff/, ''));
}
