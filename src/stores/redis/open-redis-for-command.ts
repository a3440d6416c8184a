import type { Log } from '../../domain/ports/log.ts';
import { type CommandRecords, NoRecordsError } from '../command-records.ts';
import { createOwnedRecords } from '../owned-records.ts';
import { checkPermissions } from './connection/check-permissions.ts';
import { createRedisSocket } from './connection/redis-connection.ts';
import { createScriptRunner, type ScriptRunner } from './connection/script-runner.ts';
import { createRedisInstallationKey, readRedisKey } from './redis-installation-key.ts';
import { openRedisRecords } from './redis-records.ts';
import {
  assertRedisVersion,
  claimStoreVersion,
  REDIS_LOCATION,
  readStoreVersion,
} from './redis-version.ts';

/** Opens a desk's records on Redis while its app may be running. */
export async function openRedisForCommand(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  how: 'read' | 'write',
  log: Log,
): Promise<CommandRecords> {
  const socket = createRedisSocket(url, log);
  const link = explaining(createScriptRunner(socket));
  const desk = `${prefix}:{desk}`;
  try {
    await socket.open().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoRecordsError(
        `The Redis of REDIS_URL can't be reached: ${why}. Check the address, the password, and that Redis runs.`,
        { cause: error },
      );
    });
    if (how === 'write') {
      await checkPermissions(link, desk);
      await claimStoreVersion(link, desk);
    } else await assertThere(link, desk, prefix);
  } catch (error) {
    await socket.close();
    throw explained(error);
  }
  const bare = openRedisRecords({ link, listen: async () => {}, prefix: desk });
  const { checkOwner, records } = createOwnedRecords(bare, REDIS_LOCATION);
  return {
    ...{ records, checkOwner },
    installationKey: createRedisInstallationKey(link, desk),
    key: () => readRedisKey(link, desk),
    keyPlace: `${desk}:installation-key in Redis`,
    close: () => socket.close(),
  };
}

async function assertThere(link: ScriptRunner, desk: string, prefix: string): Promise<void> {
  const version = await readStoreVersion(link, desk);
  if (version === undefined) {
    throw new NoRecordsError(
      `There are no records: this Redis has nothing under the prefix “${prefix}”. Check REDIS_URL and REDIS_PREFIX.`,
    );
  }
  assertRedisVersion(version);
}

/** Turns every error of the scripts into one that a command can print. */
function explaining(link: ScriptRunner): ScriptRunner {
  return {
    async run(script, key, args) {
      try {
        return await link.run(script, key, args);
      } catch (error) {
        throw explained(error);
      }
    },
  };
}

function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof NoRecordsError) return error;
  return new NoRecordsError(error.message, { cause: error });
}
