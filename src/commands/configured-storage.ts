import { Variables } from '../config/setting-variables.ts';
import type { CommandDeps } from './command.ts';

const Places = Variables.pick({ DATA_DIR: true, REDIS_URL: true, REDIS_PREFIX: true });

/**
 * Reads where the records are. If the settings are invalid, prints the errors and returns
 * undefined.
 */
export function readStorageLocation({ env, err }: Pick<CommandDeps, 'env' | 'err'>) {
  const set = Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined]);
  const read = Places.safeParse(Object.fromEntries(set));
  if (!read.success) {
    for (const { message, path } of read.error.issues) err(`${path.join('.')} ${message}`);
    return undefined;
  }
  const { DATA_DIR: dataDir, REDIS_PREFIX: prefix, REDIS_URL: url } = read.data;
  return { dataDir, ...(url !== undefined && { redis: { url, prefix } }) };
}
