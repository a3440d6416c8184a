import type { Clock } from '../../domain/clock.ts';
import type { StoreCheck } from '../store-check.ts';
import { connectRedis } from './connect-redis.ts';
import { readScript } from './desk-scripts.ts';
import { NEWEST_DESK, sayNewer } from './desk-version.ts';
import { readMaybe } from './read-reply.ts';
import { tryRights } from './try-rights.ts';

const VERSION = readScript(`return redis.call('GET',P..':version')`);

/** Checks that the Redis can be reached, is fit, gives the rights that are needed and has our time; rejects with what to do. */
export async function checkRedis({
  clock,
  prefix,
  url,
}: {
  readonly url: string;
  readonly prefix: string;
  readonly clock: Clock;
}): Promise<StoreCheck> {
  const warnings: string[] = [];
  const quiet = () => {};
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const log = { debug: quiet, info: quiet, warn, error: quiet };
  const connection = await connectRedis({ url, clock, log });
  try {
    const desk = `${prefix}:{desk}`;
    await connection.check(desk);
    await tryRights(connection.link, `${prefix}:{thread:}`);
    const version = readMaybe(await connection.link.run(VERSION, desk, []));
    if (Number(version) > NEWEST_DESK) throw new Error(sayNewer(Number(version), NEWEST_DESK));
    return { message: `Redis can be used: ${sayState(version)}.`, warnings, isInUse: false };
  } finally {
    await connection.close();
  }
}

function sayState(version: string | undefined): string {
  if (version === undefined) return 'it holds no records yet';
  return Number(version) < NEWEST_DESK
    ? 'the next start brings its records up to date'
    : 'its records are of this version';
}
