import { createClient, createCluster } from 'redis';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import { judgeServer, parseInfo } from './judge-server.ts';
import { readTexts } from './read-reply.ts';
import {
  createRedisLink,
  type RedisClient,
  type RedisCluster,
  type RedisLink,
  toScript,
} from './redis-link.ts';

/** A connected Redis, one server or a cluster. */
export interface RedisConnection {
  readonly client: RedisClient | RedisCluster;
  readonly link: RedisLink;
  /** Rejects, saying why and what to do, when it can't be written or its clock is not ours; `desk` is the key that it tries it on. */
  check(desk: string): Promise<void>;
  /** Lists keys by a pattern, without holding up the server. */
  scan(pattern: string): Promise<readonly string[]>;
  /** Calls `listener` at each message of the channel, until the connection is closed. */
  listen(channel: string, listener: () => void): Promise<void>;
  close(): Promise<void>;
}

const CHECK = toScript(`
redis.call('SET',KEYS[1]..':checked-at',ARGV[1])
return redis.call('TIME')`);
const CONNECT_MS = 5_000;
const LONGEST_WAIT_MS = 2_000;
/** Leases are times of the caller: replicas whose clocks differ more than this would take each other's work. */
const MAX_CLOCK_OFFSET_MS = 1_000;

/** Connects to a Redis, and again whenever the line breaks; rejects when it can't be reached, or isn't fit, at first. */
export async function connectRedis(options: {
  /** `redis://`, `rediss://`, or `unix://` and the path of a socket; of a cluster any node's. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<RedisConnection> {
  const { clock, log, url } = options;
  const single = await open(url, log);
  const isCluster = await judge(single, log).catch(async (error: unknown) => {
    await single.disconnect();
    throw error;
  });
  const client = isCluster ? await openCluster(single, url, log) : single;
  const link = createRedisLink(client);
  const listeners: RedisClient[] = [];

  return {
    client,
    link,
    async check(desk) {
      const before = clock.now();
      const reply = await link.run(CHECK, desk, [String(before)]);
      const [seconds, micros] = readTexts(reply);
      const theirs = Number(seconds) * 1_000 + Number(micros) / 1_000;
      const offset = Math.max(before - theirs, theirs - clock.now());
      if (offset <= MAX_CLOCK_OFFSET_MS) return;
      throw new Error(
        `This machine's clock is ${Math.round(offset)} ms off from that of Redis; set both by NTP.`,
      );
    },
    async scan(pattern) {
      const keys = new Set<string>();
      const nodes = 'masters' in client ? await connectMasters(client) : [client];
      for (const node of nodes) {
        for await (const key of node.scanIterator({ MATCH: pattern, COUNT: 500 })) keys.add(key);
      }
      return [...keys];
    },
    async listen(channel, listener) {
      const own = await open(url, log);
      listeners.push(own);
      await own.subscribe(channel, listener);
    },
    async close() {
      const all = new Set([single, client, ...listeners]);
      await Promise.all([...all].map((each) => hangUp(each, log)));
    },
  };
}

/** Ends a line at once: a polite end would wait for a server that is gone. Whoever closes has its answers. */
async function hangUp(client: RedisClient | RedisCluster, log: Log): Promise<void> {
  try {
    await client.disconnect();
  } catch (error) {
    log.debug({ err: error }, 'The line to Redis was closed already.');
  }
}

async function open(url: string, log: Log): Promise<RedisClient> {
  let connected = false;
  const { socket, ...rest } = addressOf(url);
  const client: RedisClient = createClient({
    ...rest,
    socket: {
      ...socket,
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (tries, cause) =>
        connected ? Math.min(50 * 2 ** tries, LONGEST_WAIT_MS) : cause,
    },
    // What can't be sent now fails now: a person is never told "done" of a write that waits in a queue.
    disableOfflineQueue: true,
  });
  client.on('error', (error: unknown) => {
    if (connected) log.warn({ err: error }, 'The line to Redis broke; it is opened again.');
  });
  try {
    await client.connect();
  } catch (error) {
    throw new Error(
      `REDIS_URL ${withoutSecrets(url)} can't be reached: ${error instanceof Error ? error.message : String(error)}. Check the address, the password, and that Redis runs.`,
      { cause: error },
    );
  }
  connected = true;
  return client;
}

/** Judges the server; resolves with whether it is one of a cluster. */
async function judge(client: RedisClient, log: Log): Promise<boolean> {
  const info = parseInfo(await client.info());
  const saves = await client.configGet('save').then(
    (found) => found.save,
    (error: unknown) => {
      log.debug({ err: error }, 'Redis does not tell its settings.');
      return undefined;
    },
  );
  const { refusals, warnings } = judgeServer(info, saves);
  for (const warning of warnings) log.warn({}, warning);
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
  return info.get('cluster_enabled') === '1';
}

async function openCluster(first: RedisClient, url: string, log: Log): Promise<RedisCluster> {
  const known = await first.sendCommand<readonly (readonly unknown[])[]>(['CLUSTER', 'SLOTS']);
  const { username, password } = url.startsWith('unix://')
    ? { username: '', password: '' }
    : new URL(url);
  const scheme = url.startsWith('rediss:') ? 'rediss' : 'redis';
  const nodes = known.map(([, , node]) => {
    const [host, port] = node as readonly [string, number];
    return { url: `${scheme}://${host}:${port}` };
  });
  const cluster = createCluster({
    rootNodes: nodes,
    defaults: {
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      socket: { connectTimeout: CONNECT_MS },
    },
  });
  cluster.on('error', (error: unknown) => {
    log.warn({ err: error }, 'A line to the Redis cluster broke; it is opened again.');
  });
  await cluster.connect();
  return cluster as RedisCluster;
}

async function connectMasters(cluster: RedisCluster): Promise<readonly RedisClient[]> {
  const nodes = await Promise.all(cluster.masters.map((master) => cluster.nodeClient(master)));
  return nodes as readonly RedisClient[];
}

function addressOf(url: string) {
  if (!url.startsWith('unix://')) return { url, socket: {} };
  return { socket: { path: url.slice('unix://'.length) } };
}

function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
