import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { StoreUnavailableError } from '../../../domain/ports/store.ts';
import { checkPermissions } from './check-permissions.ts';
import type { RedisClient, RedisCluster } from './open-client.ts';
import { createRedisSocket, type RedisSocket } from './redis-connection.ts';
import { createScriptRunner, explainRedisError, type ScriptRunner } from './script-runner.ts';
import {
  checkServerRequirements,
  parseRedisInfo,
  type ServerRequirements,
} from './server-requirements.ts';
import { withTimeout } from './with-timeout.ts';

/** A connected Redis, one server or a cluster. */
export interface RedisConnection {
  /** The first client. Commands that must survive a reconnect use `link`. */
  readonly client: RedisClient | RedisCluster;
  readonly link: ScriptRunner;
  /** Rejects with the reason and a remedy if Redis isn't writable or suitable, or its clock is off. `desk` is the key it tries. */
  check(desk: string): Promise<void>;
  /** Lists keys by pattern, without blocking the server. */
  scan(pattern: string): Promise<readonly string[]>;
  /** Calls `listener` with each message of the channel until the connection is closed; without a message if some may be lost. */
  listen(channel: string, listener: (message?: string) => void): Promise<void>;
  close(): Promise<void>;
}

const INFO_MS = 2_000;
/** Leases use callers' clocks: with a larger offset, replicas would take each other's work. */
const MAX_CLOCK_OFFSET_MS = 1_000;

/** Connects to Redis, and reconnects whenever the connection breaks. Rejects if the first attempt fails or the server isn't suitable. */
export async function connectRedis(options: {
  /** `redis://`, `rediss://`, or `unix://` and a socket path; for a cluster, any node. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<RedisConnection> {
  const { clock, log, url } = options;
  const socket = createRedisSocket(url, log);
  const link = createScriptRunner(socket);
  const client = await socket.open().catch((error: unknown) => {
    throw new Error(
      `REDIS_URL ${withoutSecrets(url)} can't be reached: ${error instanceof Error ? error.message : String(error)}. Check the address, the password, and that Redis runs.`,
      { cause: error },
    );
  });
  try {
    for (const { warnings } of await checkServers(socket, log)) {
      for (const warning of warnings) log.warn({}, warning);
    }
  } catch (error) {
    await socket.close();
    throw error;
  }

  return {
    client,
    link,
    async check(desk) {
      const before = clock.now();
      const theirs = await checkPermissions(link, desk);
      const offset = Math.max(before - theirs, theirs - clock.now());
      if (offset > MAX_CLOCK_OFFSET_MS) {
        throw new Error(
          `This machine's clock is ${Math.round(offset)} ms off from that of Redis. Synchronize both with NTP.`,
        );
      }
      await checkServers(socket, log);
    },
    async scan(pattern) {
      const keys = new Set<string>();
      for (const node of await socket.masters()) {
        for await (const key of node.scanIterator({ MATCH: pattern, COUNT: 500 })) keys.add(key);
      }
      return [...keys];
    },
    async listen(channel, listener) {
      await socket.listen(channel, listener).catch((error: unknown) => {
        throw explainRedisError(error);
      });
    },
    close: socket.close,
  };
}

/** Checks every primary; rejects if one isn't suitable. */
async function checkServers(socket: RedisSocket, log: Log): Promise<readonly ServerRequirements[]> {
  const all: ServerRequirements[] = [];
  for (const server of await socket.masters()) all.push(await checkServer(server, log));
  const refusals = new Set(all.flatMap((each) => each.refusals));
  if (refusals.size > 0) throw new Error([...refusals].join('\n'));
  return all;
}

async function checkServer(client: RedisClient, log: Log): Promise<ServerRequirements> {
  const info = await withTimeout(INFO_MS, client.info()).catch((error: unknown) => {
    throw new StoreUnavailableError('Redis does not answer: check that it runs.', 'not-done', {
      cause: error,
    });
  });
  const saves = await withTimeout(INFO_MS, client.configGet('save')).then(
    (found) => found.save,
    (error: unknown) => {
      log.debug({ err: error }, 'Redis did not return its settings.');
      return undefined;
    },
  );
  return checkServerRequirements(parseRedisInfo(info), saves);
}

/** Built from its parts, since a password can contain characters that would end a pattern. */
function withoutSecrets(url: string): string {
  const { host, pathname, protocol } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
