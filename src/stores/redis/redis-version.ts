import type { RecordsLocation } from '../owned-records.ts';
import { assertVersion, STORE_VERSION } from '../store-version.ts';
import { parseOptionalText } from './connection/parse-reply.ts';
import { type ScriptRunner, toScript } from './connection/script-runner.ts';
import { setIfAbsent } from './set-if-absent.ts';

/** Names the data in messages. */
export const REDIS_LOCATION: RecordsLocation = {
  where: 'The data in Redis',
  setting: 'REDIS_PREFIX',
};

const VERSION = toScript(`return redis.call('GET',KEYS[1]..':version')`, 'read');

/** Version of the data under a prefix; undefined if there is none. */
export async function readStoreVersion(
  link: ScriptRunner,
  desk: string,
): Promise<number | undefined> {
  const version = parseOptionalText(await link.run(VERSION, desk, []));
  return version === undefined ? undefined : Number(version);
}

/** Marks the data with this version; rejects, without changing it, if it has another one. */
export async function claimStoreVersion(link: ScriptRunner, desk: string): Promise<void> {
  const version = Number(await setIfAbsent(link, desk, 'version', String(STORE_VERSION)));
  assertRedisVersion(version);
}

/** Throws if the data has another version. */
export function assertRedisVersion(version: number): void {
  assertVersion(REDIS_LOCATION.where, version, REDIS_LOCATION.setting);
}
