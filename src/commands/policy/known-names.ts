import { graphNameOf, readGraphConfig } from '../../config/graph-config.ts';
import { DEFAULT_DATA_DIR } from '../../config/setting-variables.ts';
import { type ApiKey, keyState } from '../../domain/people/api-key.ts';
import type { KnownNames } from '../../policy/file/read-rules.ts';
import { createKeys } from '../../stores/repositories/settings.ts';
import { readOffline } from '../../stores/sqlite/read-offline.ts';
import type { CommandDeps } from '../command.ts';
import type { OfflineTools } from './offline-tools.ts';

/** Names that rules can refer to, and why the keys are missing, if they are. */
export interface OfflineNames {
  readonly known: KnownNames;
  readonly problem?: string;
}

/**
 * Reads the names that rules can refer to: tools, helpers, the graph, and keys stored on this
 * machine.
 */
export async function readKnownNames(
  { helpers, toolbox }: OfflineTools,
  { clock, env }: Pick<CommandDeps, 'clock' | 'env'>,
): Promise<OfflineNames> {
  const graph = graphNameOf(readGraphConfig(env));
  const { keys, problem } = await readKeys(env);
  const working = keys.filter((key) => keyState(key, clock.now()) === 'works');
  const agents = [
    ...helpers.map(({ name }) => ({ kind: 'helper', name }) as const),
    ...(graph === undefined ? [] : [{ kind: 'graph', name: graph } as const]),
    ...working.map(({ name }) => ({ kind: 'key', name }) as const),
  ];
  const tools = toolbox.list().map(({ name }) => name);
  const schemaOf = (name: string) => toolbox.get(name)?.schema;
  return { known: { tools, schemaOf, agents }, ...(problem !== undefined && { problem }) };
}

/** Reads keys from the data folder. Keys in Redis are not read. */
async function readKeys(env: CommandDeps['env']): Promise<{
  readonly keys: readonly ApiKey[];
  readonly problem?: string;
}> {
  if (env.REDIS_URL?.trim()) return { keys: [] };
  try {
    const dataDir = env.DATA_DIR?.trim() || DEFAULT_DATA_DIR;
    return { keys: await readOffline(dataDir, [], (records) => createKeys(records).list()) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { keys: [], problem: `There are no keys of programs: they can't be read (${why}).` };
  }
}
