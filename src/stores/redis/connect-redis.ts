import { createClient } from 'redis';
import type { Log } from '../../domain/log.ts';
import { createRedisLink, type RedisClient, type RedisLink, toScript } from './redis-link.ts';

/** A connected Redis. */
export interface RedisConnection {
  readonly client: RedisClient;
  readonly link: RedisLink;
  /** Rejects, saying why and what to do, when it can't be written; `desk` is the key that it tries it on. */
  check(desk: string): Promise<void>;
  close(): Promise<void>;
}

const CHECK = toScript(`return redis.call('SET',KEYS[1]..':checked-at',ARGV[1])`);
const CONNECT_MS = 5_000;
const LONGEST_WAIT_MS = 2_000;

/** Connects to a Redis, and again whenever the line breaks; rejects when it can't be reached at first. */
export async function connectRedis(options: {
  readonly url: string;
  readonly log: Log;
}): Promise<RedisConnection> {
  const { log, url } = options;
  let connected = false;
  const client = createClient({
    ...address(url),
    socket: {
      ...address(url).socket,
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (tries, cause) =>
        connected ? Math.min(50 * 2 ** tries, LONGEST_WAIT_MS) : cause,
    },
    // What can't be sent now fails now: a person is never told "done" of a write that waits in a queue.
    disableOfflineQueue: true,
  });
  client.on('error', (error: unknown) => log.warn({ err: error }, 'The line to Redis broke.'));
  await client.connect();
  connected = true;
  const link = createRedisLink(client);
  return {
    client,
    link,
    async check(desk) {
      await link.run(CHECK, desk, [new Date(0).toISOString()]);
    },
    async close() {
      await client.quit().catch((error: unknown) => {
        log.debug({ err: error }, 'Redis was gone before the line was closed.');
      });
    },
  };
}

/** `redis://` and `rediss://` go to the client as they are; `unix://` names a socket on this machine. */
function address(url: string) {
  if (!url.startsWith('unix://')) return { url, socket: {} };
  return { socket: { path: url.slice('unix://'.length) } };
}
