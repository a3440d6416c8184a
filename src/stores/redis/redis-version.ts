import type { RecordsPlace } from '../owned-records.ts';
import { assertVersion, STORE_VERSION } from '../store-version.ts';
import { readMaybe } from './connection/parse-reply.ts';
import { type RedisLink, toScript } from './connection/script-runner.ts';
import { keepFirst } from './set-if-absent.ts';

/** Where the records are, for people. */
export const REDIS_PLACE: RecordsPlace = { where: 'The data in Redis', setting: 'REDIS_PREFIX' };

const VERSION = toScript(`return redis.call('GET',KEYS[1]..':version')`, 'read');

/** Returns the version of what is under a prefix; undefined where there is nothing. */
export async function readVersion(link: RedisLink, desk: string): Promise<number | undefined> {
  const version = readMaybe(await link.run(VERSION, desk, []));
  return version === undefined ? undefined : Number(version);
}

/** Marks a desk as of this version; rejects, and touches nothing, when it is of another one. */
export async function claimVersion(link: RedisLink, desk: string): Promise<void> {
  const version = Number(await keepFirst(link, desk, 'version', String(STORE_VERSION)));
  assertVersion(REDIS_PLACE.where, version, REDIS_PLACE.setting);
}
