/** Opens connections to one server or its cluster, with the channels that are listened to. */
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

/** An open connection; it is replaced, never repaired. */
export interface Connection {
  readonly client: RedisClient | RedisCluster;
  readonly listener: RedisClient | undefined;
}

type OnBroken = (broken: Connection, why: unknown) => void;

const OPEN_MS = 3_000;

/** Creates the connector; opens nothing yet. */
export function createConnector(url: string, log: Log) {
  const channels = new Map<string, (message?: string) => void>();
  /** Channels subscribed on an earlier connection. */
  const subscribed = new Set<string>();
  /** Addresses to try: the configured one, then all that the cluster named. */
  let addresses: readonly string[] = [url];

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

  async function connectParts(
    address: string,
    parts: (RedisClient | RedisCluster)[],
    onBroken: OnBroken,
  ): Promise<Connection> {
    let made: Connection | undefined;
    const broke = (error: unknown) => {
      if (made) onBroken(made, error);
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

  async function connectTo(address: string, onBroken: OnBroken): Promise<Connection> {
    const parts: (RedisClient | RedisCluster)[] = [];
    try {
      return await connectParts(address, parts, onBroken);
    } catch (error) {
      for (const part of parts) disconnectNow(part, log);
      throw error;
    }
  }

  return {
    /** Connects to the first address that answers; rejects with the first one's reason. */
    async connect(onBroken: OnBroken): Promise<Connection> {
      let reason: unknown;
      for (const address of addresses) {
        try {
          return await connectTo(address, onBroken);
        } catch (error) {
          reason ??= error;
        }
      }
      throw reason;
    },
    /** Subscribes later connections to a channel. */
    addChannel(channel: string, listener: (message?: string) => void): void {
      channels.set(channel, listener);
    },
  };
}
