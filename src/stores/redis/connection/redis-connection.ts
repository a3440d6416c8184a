/**
 * The connection to Redis, to one server or a cluster. It is opened on the first command. If any part of
 * it breaks or times out, all of it is closed and the next command opens a new one.
 */
import { ClientClosedError, ClientOfflineError, ErrorReply } from 'redis';
import type { Log } from '../../../domain/ports/log.ts';
import { type Connection, createConnector } from './create-connector.ts';
import { disconnectNow, type RedisClient, type RedisCluster } from './open-client.ts';
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

/** Creates the connection to a server or its cluster; opens nothing yet. */
export function createRedisSocket(url: string, log: Log): RedisSocket {
  const connector = createConnector(url, log);
  let current: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let isClosed = false;

  async function open(): Promise<Connection> {
    if (isClosed) throw new Error('The store is closed.');
    if (current) return current;
    opening ??= connect().finally(() => {
      opening = undefined;
    });
    return await opening;
  }

  async function connect(): Promise<Connection> {
    const made = await connector.connect(abandon);
    current = made;
    return made;
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
      connector.addChannel(channel, listener);
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
