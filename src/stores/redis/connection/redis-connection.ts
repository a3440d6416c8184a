/**
 * The connection to Redis, to one server or a cluster. It is opened on the first command. If any part of
 * it breaks or times out, all of it is closed and the next command opens a new one.
 */
import { ClientClosedError, ClientOfflineError, ErrorReply } from 'redis';
import type { Log } from '../../../domain/ports/log.ts';
import {
  clusterNodesOf,
  disconnectNow,
  openClient,
  openCluster,
  type RedisClient,
  type RedisCluster,
} from './open-client.ts';
import { withTimeout } from './with-timeout.ts';

/** A script's reply: text, number, list or nothing. */
export type Reply = string | number | null | readonly Reply[];

/** A command got no reply. */
export class NoReplyError extends Error {
  override readonly name = 'UnansweredError';
  /** Whether the server may have received it. */
  readonly isSent: boolean;

  constructor(isSent: boolean, options: ErrorOptions) {
    const { cause } = options;
    super(cause instanceof Error ? cause.message : String(cause), options);
    this.isSent = isSent;
  }
}

export interface RedisSocket {
  /** Opens the connection unless it is open; rejects with the reason. */
  open(): Promise<RedisClient | RedisCluster>;
  /** Sends a command to the server of `key`. Rejects with the server's error, or with a `NoReplyError` after `ms` at the latest. */
  send(key: string, args: readonly string[], ms: number): Promise<Reply>;
  /** The primaries. */
  masters(): Promise<readonly RedisClient[]>;
  /** Calls `listener` with each message of the channel, also after reconnects; without a message if some may be lost. */
  listen(channel: string, listener: (message?: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** An open connection; it is replaced, never repaired. */
interface Connection {
  readonly client: RedisClient | RedisCluster;
  readonly listener: RedisClient | undefined;
}

const OPEN_MS = 3_000;

/** Creates the connection to a server or its cluster; opens nothing yet. */
export function createRedisSocket(url: string, log: Log): RedisSocket {
  const channels = new Map<string, (message?: string) => void>();
  /** Channels subscribed on an earlier connection. */
  const subscribed = new Set<string>();
  /** Addresses to try: the configured one, then all that the cluster named. */
  let addresses: readonly string[] = [url];
  let current: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let isClosed = false;

  async function open(): Promise<Connection> {
    if (isClosed) throw new Error('The store is closed.');
    if (current) return current;
    opening ??= connectToAny().finally(() => {
      opening = undefined;
    });
    return await opening;
  }

  async function connectToAny(): Promise<Connection> {
    let reason: unknown;
    for (const address of addresses) {
      try {
        const made = await connectTo(address);
        current = made;
        return made;
      } catch (error) {
        reason ??= error;
      }
    }
    throw reason;
  }

  async function connectTo(address: string): Promise<Connection> {
    const parts: (RedisClient | RedisCluster)[] = [];
    try {
      return await connectParts(address, parts);
    } catch (error) {
      for (const part of parts) disconnectNow(part, log);
      throw error;
    }
  }

  async function connectParts(
    address: string,
    parts: (RedisClient | RedisCluster)[],
  ): Promise<Connection> {
    let made: Connection | undefined;
    const broke = (error: unknown) => {
      if (made) abandon(made, error);
    };
    const first = await openClient(address, broke, url);
    parts.push(first);
    const cluster = await clusterOf(first, broke);
    if (cluster) disconnectNow(first, log);
    if (cluster) parts.push(cluster);
    const listener = channels.size > 0 ? await openClient(address, broke, url) : undefined;
    if (listener) parts.push(listener);
    if (listener) await subscribe(listener);
    made = { client: cluster ?? first, listener };
    return made;
  }

  /** The cluster of a server; undefined if it is standalone. */
  async function clusterOf(
    server: RedisClient,
    broke: (error: unknown) => void,
  ): Promise<RedisCluster | undefined> {
    const nodes = await clusterNodesOf(server, url);
    if (!nodes) return undefined;
    addresses = [...new Set([url, ...nodes])];
    return await openCluster(nodes, url, broke);
  }

  async function subscribe(listener: RedisClient): Promise<void> {
    for (const [name, onMessage] of channels) {
      await withTimeout(OPEN_MS, listener.subscribe(name, onMessage));
      if (subscribed.has(name)) onMessage();
      subscribed.add(name);
    }
  }

  /** Closes a connection: its pending commands fail, and the next command opens a new one. */
  function abandon(broken: Connection, why: unknown): void {
    if (current !== broken) return;
    current = undefined;
    if (!isClosed) log.warn({ err: why }, 'The connection to Redis broke; reconnecting.');
    disconnectNow(broken.client, log);
    if (broken.listener) disconnectNow(broken.listener, log);
  }

  async function sendOn(on: Connection, key: string, args: readonly string[]): Promise<Reply> {
    const { client } = on;
    // redis@4 picks the wrong cluster node for EVALSHA, so the key is passed explicitly.
    return 'masters' in client
      ? await client.sendCommand<Reply>(key, false, [...args])
      : await client.sendCommand<Reply>([...args]);
  }

  return {
    open: async () => (await open()).client,
    async send(key, args, ms) {
      const startedAt = performance.now();
      const on =
        current ??
        (await withTimeout(ms, open()).catch((error: unknown) => {
          throw new NoReplyError(false, { cause: error });
        }));
      try {
        return await withTimeout(
          Math.ceil(ms - (performance.now() - startedAt)),
          sendOn(on, key, args),
        );
      } catch (error) {
        if (!(error instanceof ErrorReply)) {
          abandon(on, error);
          throw new NoReplyError(!isUnsent(error), { cause: error });
        }
        // The server is no longer the primary; the address may now lead to the new one.
        if (error.message.startsWith('READONLY')) abandon(on, error);
        throw error;
      }
    },
    async masters() {
      const { client } = await open();
      if (!('masters' in client)) return [client];
      const nodes = await Promise.all(client.masters.map((node) => client.nodeClient(node)));
      return nodes as readonly RedisClient[];
    },
    async listen(channel, listener) {
      channels.set(channel, listener);
      const before = await open();
      disconnectNow(before.client, log);
      if (current === before) current = undefined;
      await open();
    },
    async close() {
      isClosed = true;
      await opening?.catch((error: unknown) => log.debug({ err: error }, 'Redis was not reached.'));
      if (current) abandon(current, undefined);
    },
  };
}

function isUnsent(error: unknown): boolean {
  return error instanceof ClientOfflineError || error instanceof ClientClosedError;
}
