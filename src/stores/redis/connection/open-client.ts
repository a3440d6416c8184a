/** How redis@4 is used: each client for as long as its connection lasts, reconnecting nothing by itself. */
import { isIP } from 'node:net';
import { createClient, createCluster } from 'redis';
import type { Log } from '../../../domain/ports/log.ts';
import { withTimeout } from './with-timeout.ts';

export type RedisClient = ReturnType<typeof createClient>;
export type RedisCluster = ReturnType<typeof createCluster>;

/** A client that hangs in its TCP connection can't be closed: it must have given up before we do. */
const TCP_MS = 2_000;
const OPEN_MS = 3_000;

/** Ends a line at once: a polite end would wait for a server that is gone. */
export function disconnectNow(client: RedisClient | RedisCluster, log: Log): void {
  client.disconnect().catch((error: unknown) => {
    log.debug({ err: error }, 'The line to Redis was closed already.');
  });
}

/** Connects to one server, of a cluster that was asked for by another address perhaps; `broke` is called when the connection breaks. Rejects within 3 s. */
export async function openClient(
  address: string,
  broke: (error: unknown) => void,
  asked = address,
): Promise<RedisClient> {
  const { socket, ...rest } = address.startsWith('unix://')
    ? { socket: { path: address.slice('unix://'.length) } }
    : { url: address, socket: tlsOf(address, asked) };
  const client: RedisClient = createClient({
    ...rest,
    socket: { ...socket, connectTimeout: TCP_MS, reconnectStrategy: false },
    // What can't be sent now fails now: nothing waits in a queue of which nobody knows.
    disableOfflineQueue: true,
  });
  client.on('error', broke);
  const connecting = client.connect();
  try {
    await withTimeout(OPEN_MS, connecting);
  } catch (error) {
    if (client.isOpen) await client.disconnect().catch(() => undefined);
    throw error;
  }
  return client;
}

/** The name by which TLS asks for a server (SNI), which Node sends only when it is told: an address is none. */
function tlsOf(address: string, asked: string): { tls: true; servername?: string } | object {
  if (!address.startsWith('rediss:')) return {};
  const name = [address, asked]
    .filter((each) => URL.canParse(each))
    .map((each) => new URL(each).hostname)
    .find((host) => isIP(host.replace(/^\[|\]$/g, '')) === 0);
  return { tls: true, ...(name !== undefined && { servername: name }) };
}

function placeOf(address: string, asked: string) {
  const colon = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
  return { host, port, ...tlsOf(`rediss://${host.includes(':') ? `[${host}]` : host}`, asked) };
}

/** The masters of the cluster that a server belongs to, as addresses; undefined when it belongs to none. */
export async function clusterNodesOf(
  client: RedisClient,
  url: string,
): Promise<readonly string[] | undefined> {
  const info = await withTimeout(OPEN_MS, client.info('cluster'));
  if (!/^cluster_enabled:1/m.test(info)) return undefined;
  const ask = client.sendCommand<readonly (readonly unknown[])[]>(['CLUSTER', 'SLOTS']);
  const slots = await withTimeout(OPEN_MS, ask);
  const asked = url.startsWith('unix://') ? new URL('redis://127.0.0.1') : new URL(url);
  const nodes = slots.map(([, , node]) => {
    const [host, port] = node as readonly [string | null, number];
    const at = new URL(asked);
    // A server that does not know its own name is where it was found.
    at.hostname = host || asked.hostname;
    at.port = String(port);
    return at.href;
  });
  return [...new Set(nodes)];
}

/** Connects to a cluster by any of its nodes; `broke` is called when any connection to it breaks. */
export async function openCluster(
  nodes: readonly string[],
  url: string,
  broke: (error: unknown) => void,
): Promise<RedisCluster> {
  const { username, password } = url.startsWith('unix://')
    ? { username: '', password: '' }
    : new URL(url);
  const isTls = url.startsWith('rediss:');
  const cluster = createCluster({
    rootNodes: nodes.map((each) => ({ url: each, socket: tlsOf(each, url) })),
    // The servers that the cluster names later are called by their own names as well.
    ...(isTls && { nodeAddressMap: (address: string) => placeOf(address, url) }),
    // A master that is down must not keep the others from being used.
    minimizeConnections: true,
    defaults: {
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      disableOfflineQueue: true,
      socket: {
        connectTimeout: TCP_MS,
        reconnectStrategy: false,
        ...(isTls && { tls: true as const }),
      },
    },
  });
  cluster.on('error', broke);
  try {
    await withTimeout(OPEN_MS, cluster.connect());
  } catch (error) {
    await cluster.disconnect().catch(() => undefined);
    throw error;
  }
  return cluster as RedisCluster;
}
